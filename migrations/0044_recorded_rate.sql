-- What it did is part of the statements that record, as no function that reads a table may be on Citus. No release used it.
DROP FUNCTION recorded_rate(text, text, date);
