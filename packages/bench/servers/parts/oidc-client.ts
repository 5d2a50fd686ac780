export const OIDC_CLIENT_ID = 'bench';
