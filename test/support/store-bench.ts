import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { LabelRow } from '#desk/ports/label-ledger.ts'
import type { StorePort } from '#desk/ports/store.ts'
import { planAgain } from '#desk/labels/label-plan.ts'
import { openStore } from '#local/open-store.ts'
import type { CommandState } from '#shared/domain/command-state.ts'
import type { CommandId } from '#shared/domain/ids.ts'
import { commandIdOf, labelIdOf, scopeKeyOf } from './ids.ts'

/** A temporary folder for stores. `dispose` closes the stores and removes the folder. */
export class StoreBench {
  readonly dataDir: string
  readonly #open: StorePort[] = []

  private constructor(dataDir: string) {
    this.dataDir = dataDir
  }

  static async create(): Promise<StoreBench> {
    return new StoreBench(await mkdtemp(join(tmpdir(), 'scandesk-store-')))
  }

  async open(scopeName = 'scope', onIndexLost: () => void = () => undefined): Promise<StorePort> {
    const store = await openStore(this.dataDir, scopeKeyOf(scopeName), onIndexLost)
    this.#open.push(store)
    return store
  }

  async dispose(): Promise<void> {
    for (const store of this.#open) store.close()
    await rm(this.dataDir, { recursive: true, force: true })
  }
}

let number = 0

const again: Parameters<StorePort['labels']['make']>[1] = (newest) =>
  planAgain(newest, { shippingMethodId: null, sender: null, request: true })

/**
 * Makes a label for a shipment. A new label has two queued commands; the ids are `label-n`, `create-n` and `request-n`.
 * The store returns the newest label of the shipment instead if `planAgain` can continue that label.
 */
export function makeLabel(store: StorePort, shipmentId = `shipment-${number + 1}`): LabelRow {
  number++
  return store.labels.make(
    {
      id: labelIdOf(`label-${number}`),
      shipmentId,
      shipmentReference: `SHP${number}`,
      shippingMethodId: null,
      wishedReference: null,
      sender: null,
      madeBy: null,
      at: number,
      commands: [
        {
          id: commandIdOf(`create-${number}`),
          type: 'return_label.create',
          payload: JSON.stringify({ shipment_id: shipmentId }),
        },
        { id: commandIdOf(`request-${number}`), type: 'return_label.request', payload: null },
      ],
    },
    again,
  )
}

/** Returns an existing command of a label. */
export function commandOf(
  label: LabelRow | null,
  kind: 'create' | 'patch' | 'request' | 'cancel',
): CommandId {
  const command = label?.[kind]
  if (!command) throw new Error(`the label has no ${kind} command`)
  return command.id
}

/** Adds copies of the first command in a desk.db, each for a new label and in this state. */
export function copyCommands(
  file: Database,
  copies: number,
  state: CommandState,
  needsOperator: 0 | 1,
): void {
  const columns = (file.pragma('table_info(commands)') as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== 'seq')
  const other = `'${state}-' || n.i || '-' || c`
  const changed: Record<string, string> = {
    id: `${other}.id`,
    subject_id: `${other}.subject_id`,
    aggregate: `${other}.aggregate`,
    state: `'${state}'`,
    needs_operator: String(needsOperator),
  }
  const copied = columns.map((name) => changed[name] ?? `c.${name}`)
  file.exec(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${String(copies)})
     INSERT INTO commands (${columns.join()}) SELECT ${copied.join()}
     FROM n CROSS JOIN (SELECT * FROM commands ORDER BY seq LIMIT 1) c`,
  )
}
