/**
 * The login of the embedded sandbox. Public on purpose: it has demo data only and listens on this machine only. The
 * middleware creates its demo users from this, and the login screen fills it in.
 */
export const sandbox = {
  wmsCode: 'SANDBOX',
  customerCode: 'ZILVER',
  username: 'desk',
  password: 'scandesk',
  /**
   * The home screen offers it as the first scan: a shipment of this customer, with a method that supports return
   * labels.
   */
  exampleShipment: 'SHP00000000250',
} as const
