import { expect, it } from 'vitest'
import { parseProxyWords } from '../../../electron/main/proxy-words.ts'

it.each([
  ['DIRECT', null],
  ['', null],
  ['PROXY proxy.example.org:3128', 'http://proxy.example.org:3128'],
  ['PROXY a:1; PROXY b:2; DIRECT', 'http://a:1'],
  ['HTTPS secure.example.org:443;DIRECT', 'https://secure.example.org:443'],
  ['SOCKS5 s:1080; PROXY a:1', 'http://a:1'],
  ['SOCKS s:1080; DIRECT; PROXY a:1', null],
  ['PROXY', null],
  ['PROXY :', null],
])('%s is the proxy %s', (answer, proxy) => {
  expect(parseProxyWords(answer)).toBe(proxy)
})
