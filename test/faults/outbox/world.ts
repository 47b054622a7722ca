import type { ChildProcess } from 'node:child_process'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '#kit/open-sqlite.ts'
import { hashPassword } from '#middleware/services/access/passwords.ts'
import { sandbox } from '#shared/domain/sandbox.ts'
import { exitCode, firstLine, type Invitation, spawnCli } from '#support/middleware-children.ts'
import type { Order } from './deed.ts'

/** A middleware process on its own data folder. */
export class World {
  readonly folder: string
  readonly url: URL
  readonly invitation: Invitation
  readonly #process: ChildProcess

  static async start(folder: string): Promise<World> {
    mkdirSync(folder, { recursive: true })
    const child = spawnCli('--port', '0', '--data', join(folder, 'service'), '--seed', 'demo', '--sandbox')
    // The log of the process is discarded, because it would contain a warning for each fault.
    child.stderr?.resume()
    const end = (): void => void child.kill('SIGKILL')
    process.once('exit', end)
    child.once('exit', () => process.off('exit', end))
    return new World(folder, child, await firstLine(child))
  }

  private constructor(folder: string, process: ChildProcess, invitation: Invitation) {
    this.folder = folder
    this.#process = process
    this.invitation = invitation
    this.url = new URL(invitation.url)
  }

  get deskFolder(): string {
    return join(this.folder, 'desk')
  }

  /** Makes password checks fast, because killed desks log in again very often. */
  async cheapenLogins(): Promise<void> {
    const hash = await hashPassword(sandbox.password, { N: 16, r: 8, p: 1 })
    const database = openSqlite(serviceFile(this.folder), 'precious')
    database.prepare('UPDATE users SET password_hash = ?').run(hash)
    database.close()
  }

  /** Stops the process after it has finished its work. Then its database can be read and copied. */
  async stop(): Promise<void> {
    this.#process.kill()
    await exitCode(this.#process)
  }
}

/** Copies the data of the service and of the desk from a folder that no process uses. */
export function copyWorld(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  cpSync(from, to, { recursive: true })
}

export function removeWorld(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

export function serviceFile(folder: string): string {
  return join(folder, 'service', 'middleware.db')
}

/**
 * Returns the records of the service that the suite uses. Of the shipping methods with return labels, it returns only
 * those whose labels are drawn quickly, because carriers are not tested here.
 */
export function readGoods(
  folder: string,
): Pick<Order, 'shipmentIds' | 'methodIds' | 'variants' | 'locationIds'> {
  const database = openSqlite(serviceFile(folder), 'cache', { readonly: true })
  const column = (sql: string): string[] => database.prepare<[], string>(sql).pluck().all()
  const customer = `(SELECT id FROM customers WHERE code = '${sandbox.customerCode}')`
  try {
    return {
      shipmentIds: column(`SELECT id FROM shipments WHERE customer_id = ${customer} ORDER BY reference DESC`),
      methodIds: column(
        `SELECT id FROM shipping_methods WHERE supports_return_labels = 1 AND label_layout IN ('4x6', 'a6')`,
      ),
      variants: database
        .prepare<[], { id: string; code: string }>(
          `SELECT id, article_code AS code FROM variants WHERE customer_id = ${customer} ORDER BY id LIMIT 6`,
        )
        .all(),
      locationIds: column('SELECT id FROM locations ORDER BY id LIMIT 3'),
    }
  } finally {
    database.close()
  }
}
