import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createdWebhook, webhookPage } from '#shared/wire/webhook.ts'
import { type Reply, startTestServer, type TestServer } from '#support/middleware-server.ts'

let server: TestServer
let sandbox: TestServer
beforeAll(async () => {
  server = await startTestServer()
  sandbox = await startTestServer({ webhookCa: 'a certificate' })
})
// all webhooks are deleted after each test, because the number of webhooks of a customer is limited
afterEach(async () => {
  for (const each of [server, sandbox]) {
    const { results } = webhookPage.parse((await each.call('/webhooks/')).body)
    for (const { id } of results) await each.call(`/webhooks/${id}/`, { method: 'DELETE' })
  }
})
afterAll(async () => {
  await server.close()
  await sandbox.close()
})

const wanted = { group: 'stock', action: 'updated', hash_secret: 'x' }
const privateHosts = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '１２７.0.0.1',
  '%31%32%37.0.0.1',
  '10.0.0.1:8443',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '198.18.0.1',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '0.0.0.0',
  '255.255.255.255',
  'localhost',
  'LOCALHOST.',
  'hooks.localhost',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[2002:7f00:1::]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[fec0::1]',
  '[fe80::1]',
  '[fd00::1]',
  '[100::1]',
  '[2001:db8::1]',
  'localhost..',
  'shop.example.org..',
  '.example.org',
  'shop..example.org',
  'intranet',
  'intranet.',
  'ip6-localhost',
  'localhost.localdomain',
  'printer.local',
  'wms.lan',
  'wms.LAN.',
  'wms.internal',
  'metadata.google.internal',
  'router.home.arpa',
  'home.arpa',
  'nas.home',
  'wms.corp',
]
/** Addresses in which some parsers find another host than the URL Standard does. */
const backslashes = [
  'shop.example.org\\@127.0.0.1',
  '127.0.0.1\\@shop.example.org',
  'shop.example.org\\.local',
]
const logins = ['user:word@shop.example.org', 'user@shop.example.org', ':word@shop.example.org']

function post(at: TestServer, url: string): Promise<Reply> {
  return at.call('/webhooks/', { method: 'POST', body: { ...wanted, url } })
}

async function registered(at: TestServer): Promise<string> {
  const { id } = createdWebhook.parse((await post(at, 'https://shop.example.org/')).body)
  return `/webhooks/${id}/`
}

describe('the URL of a webhook', () => {
  it.each([...privateHosts, ...logins, ...backslashes])(
    'is refused in a POST, PATCH or PUT if it contains a private host, a user name or a password: %s',
    async (host) => {
      const refusal = { status: 400, body: { errors: { url: [expect.any(String)] } } }
      const url = `https://${host}/hooks`
      expect(await post(server, url)).toMatchObject(refusal)
      const path = await registered(server)
      for (const method of ['PATCH', 'PUT'])
        expect(await server.call(path, { method, body: { url } })).toMatchObject(refusal)
      expect((await server.call(path)).body).toMatchObject({ url: 'https://shop.example.org/' })
    },
  )

  it.each(['shop.example.org', 'shop.example.org.:8443', '8.8.8.8', '[2606:4700::1111]', 'nowhere.invalid'])(
    'is accepted if its host is public, even if the name of the host does not exist: %s',
    async (host) => {
      expect((await post(server, `https://${host}/hooks`)).status).toBe(201)
    },
  )

  it.each([
    ['https://Shop.Example.ORG:443/a/../b c', 'https://shop.example.org/b%20c'],
    ['https:shop.example.org', 'https://shop.example.org/'],
    ['https://@shop.example.org/', 'https://shop.example.org/'],
    ['https://sh\top.example.org/\n', 'https://shop.example.org/'],
    ['https://bücher.example.org/', 'https://xn--bcher-kva.example.org/'],
  ])('is stored in its normalized form: %j', async (sent, kept) => {
    const made = createdWebhook.parse((await post(server, sent)).body)
    expect(made.url).toBe(kept)
    const path = await registered(server)
    expect((await server.call(path, { method: 'PATCH', body: { url: sent } })).body).toMatchObject({
      url: kept,
    })
    expect((await server.call(path)).body).toMatchObject({ url: kept })
  })

  it('is refused if its normalized form is too long', async () => {
    expect((await post(server, `https://shop.example.org/${'x'.repeat(1900)}`)).status).toBe(201)
    expect(await post(server, `https://shop.example.org/${'é'.repeat(1900)}`)).toMatchObject({
      status: 400,
      body: { errors: { url: [expect.any(String)] } },
    })
  })

  it('in a sandbox with its own certificate authority may have a private host, but must not contain a user or a password', async () => {
    for (const host of ['127.0.0.1:8443', 'localhost', '[::1]', '192.168.0.1']) {
      expect((await post(sandbox, `https://${host}/`)).status).toBe(201)
      const change = { method: 'PATCH', body: { url: `https://${host}/other` } }
      expect((await sandbox.call(await registered(sandbox), change)).status).toBe(200)
    }
    for (const login of logins) expect((await post(sandbox, `https://${login}/`)).status).toBe(400)
    expect((await post(sandbox, 'http://127.0.0.1/')).status).toBe(400)
  })
})
