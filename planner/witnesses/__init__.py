"""Why an auxiliary view cannot be left out: a search for two small sources that prove it."""
