/** Whether a text is a country as everybody writes it: two letters (ISO 3166-1). */
export function isCountryCode(text: string): boolean {
  return /^[A-Za-z]{2}$/.test(text)
}

/** Whether an answer refers to a country by an id, which no resource of api.md explains (api.md, Return label). */
export function isCountryReference(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}
