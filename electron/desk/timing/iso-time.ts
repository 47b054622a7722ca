/** Milliseconds since 1970 as the views carry times: ISO 8601 in UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
