import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tokens } from '#shared/wire/auth.ts'
import { makeCertificate } from '#support/certificate.ts'
import { exitCode, firstLine, spawnCli } from '#support/middleware-children.ts'
import { send } from '#support/middleware-server.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'scandesk-webhook-ca-'))
  writeFileSync(join(folder, 'ca.pem'), makeCertificate('localhost').cert)
  writeFileSync(join(folder, 'no.pem'), 'no certificate')
})
afterAll(() => {
  rmSync(folder, { recursive: true })
})

/** What the command says on stderr before it ends with an error. */
async function refused(...args: string[]): Promise<string> {
  const child = spawnCli(...args)
  if (child.stderr === null) throw new Error('The child has a stderr')
  const [said, code] = await Promise.all([text(child.stderr), exitCode(child)])
  expect(code).toBe(1)
  return said
}

describe('--webhook-ca', () => {
  it('is refused without --sandbox, and where its file holds no certificate', async () => {
    expect(await refused('--webhook-ca', join(folder, 'ca.pem'))).toMatch(/--webhook-ca needs --sandbox/)
    expect(await refused('--sandbox', '--webhook-ca', join(folder, 'no.pem'))).toMatch(
      /no certificate in PEM/,
    )
    expect(await refused('--sandbox', '--webhook-ca', join(folder, 'gone.pem'))).toMatch(/cannot be read/)
  })

  it('lets a webhook have an address of this machine', async () => {
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
