export const sql = String.raw;

export const createdAt = 'created_at timestamptz(3) not null default gatehouse_now()';
