-- The postgres image runs this once, when it makes its data folder. Passwords come from the
-- environment.
\getenv gatehouse_password GATEHOUSE_DB_PASSWORD
\getenv temporal_password TEMPORAL_DB_PASSWORD

-- Owns the database and its tables, and migrates; scripts/roles.ts makes gatehouse_app.
create role gatehouse login password :'gatehouse_password';
create database gatehouse owner gatehouse;

-- temporal-schema creates Temporal's two databases.
create role temporal login createdb password :'temporal_password';
