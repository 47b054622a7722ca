/**
 * The login of the embedded sandbox. It is public on purpose: the sandbox has only demo data and listens only on this
 * machine. The middleware creates its demo users from this login, and the login screen fills in this login.
 */
export const sandbox = {
  wmsCode: 'SANDBOX',
  customerCode: 'ZILVER',
  username: 'desk',
  password: 'scandesk',
  /**
   * The shipment that the home screen offers as the first scan. It belongs to the customer `customerCode`, and its
   * shipping method supports return labels.
   */
  exampleShipment: 'SHP00000000250',
} as const
