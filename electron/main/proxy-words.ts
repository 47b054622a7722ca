/**
 * The proxy that a system's answer names first, as an address, or null for none: `PROXY host:3128; DIRECT` ->
 * `http://host:3128` (the words of PAC scripts, which Electron's resolveProxy answers in). SOCKS is not spoken here: such
 * a line counts as none, so that the next word is taken.
 */
export function parseProxyWords(answer: string): string | null {
  for (const part of answer.split(';')) {
    const [word = '', host = ''] = part.trim().split(/\s+/)
    if (word.toUpperCase() === 'DIRECT') return null
    const scheme = { PROXY: 'http', HTTP: 'http', HTTPS: 'https' }[word.toUpperCase()]
    if (scheme && URL.canParse(`${scheme}://${host}`) && host !== '') return `${scheme}://${host}`
  }
  return null
}
