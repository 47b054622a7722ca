/**
 * How to work in the embedded sandbox. Public on purpose: it holds demo data only and listens on this machine only.
 * The middleware makes its demo users from this, and the login screen fills it in.
 */
export const sandbox = {
  wmsCode: 'SANDBOX',
  customerCode: 'ZILVER',
  username: 'desk',
  password: 'scandesk',
  /** The home screen offers it as the first scan: of this customer, by a method that makes return labels. */
  exampleShipment: 'SHP00000000250',
} as const
