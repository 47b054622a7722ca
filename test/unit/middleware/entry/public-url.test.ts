import { describe, expect, it } from 'vitest'
import { readPublicUrl } from '#middleware/entry/public-url.ts'

describe('the URL of --public-url', () => {
  it.each([
    ['https://Returns.example.org', 'https://returns.example.org/'],
    ['HTTPS://returns.example.org:443/eu/', 'https://returns.example.org/eu/'],
    ['https://returns.example.org:8443', 'https://returns.example.org:8443/'],
    ['https://bücher.example', 'https://xn--bcher-kva.example/'],
    ['https://[2001:DB8:0::1]:8443', 'https://[2001:db8::1]:8443/'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/'],
    ['http://localhost/eu', 'http://localhost/eu'],
  ])('is returned in the form of the URL Standard: %s', (text, url) => {
    expect(readPublicUrl(text)).toBe(url)
  })

  it('may be missing', () => {
    expect(readPublicUrl(undefined)).toBeUndefined()
  })

  it.each([
    ...['', 'returns.example.org', 'https:returns.example.org', 'https://', 'ftp://returns.example.org'],
    ...[
      'http://returns.example.org',
      'http://127.1.1.999',
      'http://localhost.',
      'https://returns.example.org.',
    ],
    ...[
      'https://user@returns.example.org',
      'https://user:word@returns.example.org',
      'https://@returns.example.org',
    ],
    ...['https://returns.example.org/?a', 'https://returns.example.org?', 'https://returns.example.org/#a'],
    ...[
      'https://returns.example.org:0',
      'https://returns.example.org/a b',
      'https://a.example,https://b.example',
    ],
  ])('is refused with one line if clients cannot use it as an address: "%s"', (text) => {
    expect(() => readPublicUrl(text)).toThrow(/^--public-url needs the address [^\n]+\.$/)
  })
})
