/**
 * How to work in the embedded sandbox. Public on purpose: it holds demo data only and listens on this machine only.
 * The middleware makes its demo users from this, and the login screen fills it in.
 */
export const sandbox = {
  wmsCode: 'SANDBOX',
  customerCode: 'ZILVER',
  username: 'desk',
  password: 'scandesk',
} as const
