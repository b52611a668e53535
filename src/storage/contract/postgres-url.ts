/** For a URL of PostgreSQL that cannot be read. A message must not repeat any part of a password. */
export const postgresUrlCure =
  'special characters of the user and the password must be percent-encoded (@ as %40, / as %2F, # as %23)';
