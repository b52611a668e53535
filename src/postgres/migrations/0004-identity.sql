-- What these tables are to PostgreSQL, as src/postgres/identity.ts says. A dump carries this along as it was, and the
-- tables that are made from it are others: so it is noticed that ids may have been given out since.
ALTER TABLE store ADD COLUMN system_identifier text;
ALTER TABLE store ADD COLUMN table_oids text;
