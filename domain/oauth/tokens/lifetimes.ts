// The lifetimes of codes and tokens.

export const TOKEN_SECONDS = 2_592_000;
export const CODE_SECONDS = 300;
