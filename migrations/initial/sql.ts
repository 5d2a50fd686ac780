export const sql = String.raw;
