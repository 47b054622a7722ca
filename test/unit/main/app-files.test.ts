import { join, sep } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentSecurityPolicy, fileFor, isAppUrl } from '../../../electron/main/app-files.ts'
import { count, seed } from '#support/counts.ts'

const root = join(sep, 'built', 'renderer')

describe('fileFor()', () => {
  it.each([
    ['app://desk/', 'index.html', 'text/html; charset=utf-8'],
    ['app://desk/index.html', 'index.html', 'text/html; charset=utf-8'],
    ['app://desk/assets/a.js?x=1#y', join('assets', 'a.js'), 'text/javascript; charset=utf-8'],
    ['app://desk/assets/a%20b.css', join('assets', 'a b.css'), 'text/css; charset=utf-8'],
  ])('returns for the URL %s the file %s', (url, file, contentType) => {
    expect(fileFor(root, 'GET', url)).toEqual({ file: join(root, file), contentType })
  })

  it.each([
    'app://other/index.html',
    'https://desk/index.html',
    'app://desk/secrets.db',
    'app://desk/a.js%00.html',
    'app://desk/..%2f..%2fpackage.html',
    'app://desk/..%5c..%5cindex.html',
    'app://desk/%E0%A4%A.html',
    'app://desk@evil/index.html',
    'nonsense',
  ])('refuses the URL %s', (url) => {
    expect(fileFor(root, 'GET', url)).toBeNull()
  })

  it('refuses every method except GET', () => {
    expect(fileFor(root, 'POST', 'app://desk/index.html')).toBeNull()
  })

  it('returns no file outside its folder, for any path', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '%2e%2e',
      '%2F',
      '/',
      '\\',
      '%5c',
      'a',
      'index.html',
      '%00',
      ';',
      '//',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const found = fileFor(root, 'GET', `app://desk/${pieces.join('/')}.html`)
        expect(found === null || found.file.startsWith(root + sep)).toBe(true)
      }),
      { numRuns: count(300, 20_000), seed },
    )
  })
})

describe('isAppUrl() for a URL', () => {
  it('accepts the pages of the app and refuses other pages', () => {
    for (const url of ['app://desk', 'app://desk/', 'app://desk/index.html', 'app://desk/a?x#y'])
      expect(isAppUrl(url), url).toBe(true)
    for (const url of ['app://desk.evil/', 'https://desk/', 'app:desk', 'about:blank', '', 'app://desk:1/'])
      expect(isAppUrl(url), url).toBe(false)
  })

  it('refuses the host of the app with a user name, a port, a different spelling or a backslash', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'u', '%40', ':', '\\', '.', '0', 'é', ' '),
      minLength: 1,
    })
    const forms = fc.oneof(
      text.map((user) => `app://${user}@desk/`),
      text.map((user) => `app://${user}:@desk/index.html`),
      fc.nat(65_535).map((port) => `app://desk:${port}/`),
      text.map((rest) => `app://desk${rest}/`),
      text.map((rest) => `app://${rest}desk/`),
      text.map((path) => `app://desk/${path}\\x`),
      fc.constantFrom(
        'APP://desk/',
        'app://DESK/',
        'app:///desk/',
        'app:/desk/',
        'app://desk\\@evil/',
        'app://desk@/',
      ),
      fc
        .constantFrom('https', 'file', 'data', 'blob:app', 'view-source:app')
        .map((scheme) => `${scheme}://desk/`),
    )
    fc.assert(
      fc.property(forms, (url) => {
        expect(isAppUrl(url), url).toBe(false)
        expect(fileFor(root, 'GET', url), url).toBeNull()
      }),
      { numRuns: count(500, 20_000), seed },
    )
  })
})

describe('the content security policy', () => {
  it('allows only the app itself as a source, nothing inline and nothing evaluated', () => {
    expect(contentSecurityPolicy).toMatch(/^default-src 'none';/)
    expect(contentSecurityPolicy).not.toMatch(/unsafe|https?:|\*|data:|blob:/)
    for (const none of ['worker-src', 'frame-src', 'connect-src', 'form-action'])
      expect(contentSecurityPolicy).toContain(`${none} 'none'`)
  })
})
