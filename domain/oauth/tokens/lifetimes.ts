// How long what we issue lives.

export const TOKEN_SECONDS = 2_592_000;
export const CODE_SECONDS = 300;
