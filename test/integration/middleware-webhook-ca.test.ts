import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tokens } from '#shared/wire/auth.ts'
import { createdWebhook, webhookDeliveryPage } from '#shared/wire/webhook.ts'
import { makeCertificate } from '#support/certificate.ts'
import { exitCode, firstLine, spawnCli } from '#support/middleware-children.ts'
import { type CallOptions, type Reply, send } from '#support/middleware-server.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'scandesk-webhook-ca-'))
  writeFileSync(join(folder, 'ca.pem'), makeCertificate('localhost').cert)
  writeFileSync(join(folder, 'no.pem'), 'no certificate')
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

/** Runs the command until it fails, and returns its text on stderr. */
async function refused(...args: string[]): Promise<string> {
  const child = spawnCli(...args)
  if (child.stderr === null) throw new Error('The child has a stderr')
  const [said, code] = await Promise.all([text(child.stderr), exitCode(child)])
  expect(code).toBe(1)
  return said
}

describe('--webhook-ca', () => {
  it('is refused without --sandbox, and with a file that contains no certificate', async () => {
    expect(await refused('--webhook-ca', join(folder, 'ca.pem'))).toMatch(/--webhook-ca needs --sandbox/)
    expect(await refused('--sandbox', '--webhook-ca', join(folder, 'no.pem'))).toMatch(
      /no certificate in PEM/,
    )
    expect(await refused('--sandbox', '--webhook-ca', join(folder, 'gone.pem'))).toMatch(/cannot be read/)
  })

  it('lets a client register a webhook for an address of this machine', async () => {
    const child = spawnCli('--sandbox', '--webhook-ca', join(folder, 'ca.pem'))
    try {
      const { url, wms, customer, username, password } = await firstLine(child)
      const headers = { 'x-wms-code': wms }
      const login = { method: 'POST', body: { username, password }, customer, headers }
      const { token } = tokens.parse((await send(url, '/wms/auth/login/', login)).body)
      const body = {
        url: 'https://127.0.0.1:8443/',
        group: 'stock',
        action: 'updated',
        hash_secret: 'x',
      }
      const reply = await send(url, '/webhooks/', { method: 'POST', body, customer, headers, token })
      expect(reply.status).toBe(201)
    } finally {
      child.kill('SIGTERM')
      await exitCode(child)
    }
  })
})

describe('--webhook-retry-seconds', () => {
  it.each(['0', '-1', 'soon', '86401', '1e3', ''])(
    'is refused if its value is no whole number from 1 to 86400: "%s"',
    async (seconds) => {
      expect(await refused(`--webhook-retry-seconds=${seconds}`)).toMatch(
        /^--webhook-retry-seconds .*is not a number/,
      )
    },
  )

  it('sets after which time a failed notification is sent again', async () => {
    const child = spawnCli('--sandbox', '--webhook-retry-seconds', '7200')
    try {
      const { url, wms, customer, username, password } = await firstLine(child)
      const headers = { 'x-wms-code': wms }
      const login = { method: 'POST', body: { username, password }, customer, headers }
      const { token } = tokens.parse((await send(url, '/wms/auth/login/', login)).body)
      const call = (path: string, options: CallOptions = {}): Promise<Reply> =>
        send(url, path, { ...options, customer, headers, token })
      // The host name of this webhook does not resolve, so the notification fails.
      const body = {
        url: 'https://nowhere.example/',
        group: 'article',
        action: 'created',
        hash_secret: 'x',
      }
      const { id } = createdWebhook.parse((await call('/webhooks/', { method: 'POST', body })).body)
      const article = { name: 'Goods', variants: [{ article_code: 'goods-1' }] }
      expect((await call('/wms/articles/', { method: 'POST', body: article })).status).toBe(201)
      for (;;) {
        const { results } = webhookDeliveryPage.parse((await call(`/webhooks/${id}/deliveries/`)).body)
        const [delivery] = results
        const [attempt] = delivery?.log ?? []
        const next = delivery?.next_at ?? null
        if (attempt === undefined || next === null) continue
        const seconds = (Date.parse(next) - Date.parse(attempt.started_at)) / 1000
        // The difference is not exact, because the API returns times in whole seconds.
        expect(Math.abs(seconds - 7200)).toBeLessThan(60)
        break
      }
    } finally {
      child.kill('SIGTERM')
      await exitCode(child)
    }
  })
})
