/** Returns an order with few fields that satisfies the newer of the two API references (API.md 6.2). */
export function newOrder(rest: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    external_reference: 'SHOP-1001',
    shipping_contactperson: 'Kim de Wit',
    requested_delivery_date: '2026-06-10',
    order_lines: [{ article_code: 'A-1', quantity: 2, description: 'Red shirt' }],
    shipping_address: newAddress(),
    ...rest,
  }
}

export function newAddress(rest: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    addressed_to: 'Kim de Wit',
    street: 'Kade',
    street_number: '7',
    zipcode: '3511 AA',
    city: 'Utrecht',
    country: 'NL',
    ...rest,
  }
}
