import type { LabelId, ServerLabelId } from '#shared/domain/ids.ts'
import type { Database } from 'better-sqlite3'
import type { LabelCommandSeed, LabelRow, LabelStep, NewLabel } from '#desk/ports/label-ledger.ts'
import { isOpen } from '#shared/domain/command-state.ts'
import type { Instant } from '#shared/domain/instants.ts'
import type { ScopeKey } from '#shared/domain/scope.ts'
import { shortened } from '#shared/writes/bounds.ts'
import { foldText } from '#shared/domain/text-forms.ts'
import type { SenderAddress } from '#shared/wire/address.ts'
import type { LabelDescription, LabelFacts } from '#shared/writes/return-label.ts'
import { createCommandInsert, createCommandStop, createReplacedRemoval } from '../outbox/command-rows.ts'

/** When an action was done, and by which operator. */
export interface LabelAct {
  readonly at: Instant
  readonly by: string | null
}

/** The functions that write a label to desk.db. The caller must have opened a transaction. */
export interface LabelWrites {
  insert(label: NewLabel): void
  /** Inserts a label of the service that no command of this desk has created. */
  insertAdopted(id: LabelId, label: LabelDescription, createdAt: Instant): void
  take(label: LabelRow, step: LabelStep, act: LabelAct): void
  describe(label: LabelRow, said: LabelDescription, at: Instant): void
  /** Whether `describe` would change more than `as_of`, the time of the service's last response about the label. */
  isNews(label: LabelRow, said: LabelDescription): boolean
  /** Stores only the time of the response, because the label is unchanged. */
  confirm(labelId: LabelId, at: Instant): void
  applyFacts(label: LabelRow, facts: LabelFacts, at: Instant): void
}

export function createLabelWrites(database: Database, scope: ScopeKey): LabelWrites {
  const insert = createInsert(database, scope)
  const changes = createChanges(database, scope)
  const stop = createCommandStop(database, scope)
  const addCommand = createLabelCommandInsert(database, scope)
  const describe: LabelWrites['describe'] = (label, said, at) => {
    changes.describe(label, said, at)
    changes.index(label.id)
  }
  return {
    insert(label) {
      insert(label, 'desk', label.at)
      for (const command of label.commands) addCommand(label, command, { at: label.at, by: label.madeBy })
      changes.index(label.id)
    },
    insertAdopted(id, label, createdAt) {
      const { shipment, sender } = label
      const shipmentId = shipment?.id ?? null
      const shipmentReference = shipment?.reference ?? null
      const bare = { shippingMethodId: null, wishedReference: null, madeBy: null, commands: [] }
      insert({ id, shipmentId, shipmentReference, sender, at: createdAt, ...bare }, 'service', createdAt)
    },
    take(label, step, act) {
      switch (step.do) {
        case 'add':
          addCommand(label, step.command, act)
          return
        case 'discard':
          stop(step.commandId, 'discard', act.at, null)
          return
        case 'set_sender':
          changes.setSender(label.id, step.sender)
          changes.index(label.id)
          return
        case 'set_cancelled':
          changes.setCancelled(label.id)
          return
      }
    },
    describe,
    ...createConfirmations(database, scope),
    applyFacts(label, facts, at) {
      if (facts.label) {
        describe(label, facts.label, at)
        changes.fold(label.id, facts.label.serverId)
      }
      if (facts.isCancelled) changes.setCancelled(label.id)
    },
  }
}

type InsertLabel = (label: NewLabel, origin: LabelRow['origin'], createdAt: Instant) => void

function createInsert(database: Database, scope: ScopeKey): InsertLabel {
  const insert = database.prepare<
    Omit<NewLabel, 'sender' | 'at' | 'commands'> & {
      scope: ScopeKey
      origin: LabelRow['origin']
      sender: string | null
      createdAt: Instant
    }
  >(
    `INSERT INTO return_labels (id, scope, origin, shipment_id, shipment_reference, shipping_method_id,
       wished_reference, sender, made_by, created_at)
     VALUES (@id, @scope, @origin, @shipmentId, @shipmentReference, @shippingMethodId,
       @wishedReference, @sender, @madeBy, @createdAt)`,
  )
  return (label, origin, createdAt) => {
    const { id, shipmentId, shipmentReference, shippingMethodId, wishedReference, madeBy } = label
    const sender = label.sender && JSON.stringify(label.sender)
    insert.run({
      ...{ id, scope, origin, shipmentId, shipmentReference, shippingMethodId },
      ...{ wishedReference, sender, madeBy, createdAt },
    })
  }
}

/**
 * Returns the insert for commands of labels. All commands for labels of the same shipment are in one queue and are sent
 * one after another. Therefore the search for the result of one creation never finds the label of another creation.
 */
function createLabelCommandInsert(
  database: Database,
  scope: ScopeKey,
): (label: Pick<LabelRow, 'id' | 'shipmentId'>, command: LabelCommandSeed, act: LabelAct) => void {
  const insert = createCommandInsert(database, scope)
  const removeReplaced = createReplacedRemoval(database)
  return ({ id, shipmentId }, command, { at, by: madeBy }) => {
    const subject = { kind: 'return_label', id } as const
    const aggregate = shipmentId === null ? `label ${id}` : `shipment ${shipmentId}`
    removeReplaced(subject, command.type)
    insert({ ...command, subject, aggregate, madeBy, at })
  }
}

/**
 * Maximum length of the search text of a label, in characters. The usual texts of a label have 200. A search compares
 * the texts of all labels of the station.
 */
const longestSearched = 1_000

/**
 * Maximum number of codes of a label. Codes of earlier responses are kept, because printed labels may have them. If a
 * label has more codes than this, only the codes of the newest response are kept, because a service could send new
 * codes with each response.
 */
const mostCodes = 400

interface Changes extends Pick<LabelWrites, 'describe'> {
  setSender(labelId: LabelId, sender: SenderAddress): void
  setCancelled(labelId: LabelId): void
  /**
   * Removes the second row of a label that is in the table twice: this desk created the label and also found it at the
   * service. The found row is removed, unless it has a command or a print of this desk.
   */
  fold(labelId: LabelId, serverId: ServerLabelId): void
  /** Updates the search text of the label. */
  index(labelId: LabelId): void
}

function createChanges(database: Database, scope: ScopeKey): Changes {
  const describe = database.prepare<{
    id: LabelId
    serverId: ServerLabelId
    externalReference: string | null
    trackingCode: string | null
    requested: number
    sender: string | null
    shipmentId: string | null
    shipmentReference: string | null
    at: Instant
  }>(
    `UPDATE return_labels SET server_id = @serverId, external_reference = @externalReference,
       tracking_code = @trackingCode, requested = max(requested, @requested), sender = @sender,
       shipment_id = COALESCE(shipment_id, @shipmentId),
       shipment_reference = COALESCE(shipment_reference, @shipmentReference), as_of = @at
     WHERE id = @id`,
  )
  const code = database.prepare<[string, string, LabelId]>(
    'INSERT INTO return_label_codes (scope, code, label_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const countCodes = database
    .prepare<[string, LabelId], number>(
      'SELECT count(*) FROM return_label_codes WHERE scope = ? AND label_id = ?',
    )
    .pluck()
  const keepCodes = database.prepare<[string, LabelId, string]>(
    `DELETE FROM return_label_codes WHERE scope = ? AND label_id = ?
       AND code NOT IN (SELECT value FROM json_each(?))`,
  )
  const sender = database.prepare<[string, LabelId]>('UPDATE return_labels SET sender = ? WHERE id = ?')
  const cancelled = database.prepare<[LabelId]>('UPDATE return_labels SET cancelled = 1 WHERE id = ?')
  const words = database.prepare<
    [LabelId],
    Record<'a' | 'b' | 'c' | 'd', string | null> & { sender: string | null }
  >(
    `SELECT shipment_reference a, external_reference b, tracking_code c, wished_reference d,
       json_extract(sender, '$.addressed_to') sender FROM return_labels WHERE id = ?`,
  )
  const index = database.prepare<[string, LabelId]>('UPDATE return_labels SET search_text = ? WHERE id = ?')
  const foreign = database.prepare<[string, ServerLabelId, LabelId], { id: LabelId }>(
    `SELECT l.id FROM return_labels l WHERE l.scope = ? AND l.server_id = ? AND l.id <> ? AND l.origin = 'service'
       AND NOT EXISTS (SELECT 1 FROM print_jobs p WHERE p.label_id = l.id)
       AND NOT EXISTS (SELECT 1 FROM commands c WHERE c.subject_kind = 'return_label' AND c.subject_id = l.id)`,
  )
  const forgetCodes = database.prepare<[string, LabelId]>(
    'DELETE FROM return_label_codes WHERE scope = ? AND label_id = ?',
  )
  const forget = database.prepare<[LabelId]>('DELETE FROM return_labels WHERE id = ?')
  return {
    describe(label, said, at) {
      const kept = keepsSender(label, said) ? label.sender : said.sender
      describe.run({
        id: label.id,
        serverId: said.serverId,
        externalReference: said.externalReference,
        trackingCode: said.trackingCode,
        requested: said.requested ? 1 : 0,
        sender: kept && JSON.stringify(kept),
        shipmentId: said.shipment?.id ?? null,
        shipmentReference: said.shipment?.reference ?? null,
        at,
      })
      for (const text of said.codes) code.run(scope, text, label.id)
      if ((countCodes.get(scope, label.id) ?? 0) > mostCodes)
        keepCodes.run(scope, label.id, JSON.stringify(said.codes))
    },
    setSender: (labelId, address) => void sender.run(JSON.stringify(address), labelId),
    setCancelled: (labelId) => void cancelled.run(labelId),
    fold(labelId, serverId) {
      for (const { id } of foreign.all(scope, serverId, labelId)) {
        forgetCodes.run(scope, id)
        forget.run(id)
      }
    },
    index(labelId) {
      const row = words.get(labelId)
      const texts = row ? [row.a, row.b, row.c, row.d, row.sender] : []
      const short = texts.flatMap((text) => shortened(text) ?? [])
      index.run(foldText(short.join(' ')).slice(0, longestSearched), labelId)
    },
  }
}

function createConfirmations(database: Database, scope: ScopeKey): Pick<LabelWrites, 'isNews' | 'confirm'> {
  const confirm = database.prepare<[Instant, LabelId]>('UPDATE return_labels SET as_of = ? WHERE id = ?')
  const newCode = database.prepare<[string, string, LabelId]>(
    `SELECT 1 FROM json_each(?) WHERE value NOT IN
       (SELECT code FROM return_label_codes WHERE scope = ? AND label_id = ?) LIMIT 1`,
  )
  return {
    isNews(label, said) {
      const { shipment } = said
      const hasFields =
        label.serverId === said.serverId &&
        label.externalReference === said.externalReference &&
        label.trackingCode === said.trackingCode &&
        (label.requested || !said.requested) &&
        (shipment === null ||
          (label.shipmentId !== null &&
            (label.shipmentReference ?? shipment.reference) === label.shipmentReference)) &&
        (keepsSender(label, said) || isSameSender(label.sender, said.sender))
      return !hasFields || newCode.get(JSON.stringify(said.codes), scope, label.id) !== undefined
    },
    confirm: (labelId, at) => void confirm.run(at, labelId),
  }
}

function isSameSender(one: SenderAddress | null, other: SenderAddress | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/**
 * Whether the stored sender stays when the service describes the label. It stays if a change of the sender is waiting
 * or was refused and the label is not requested yet: the description then does not contain the operator's input. If the
 * description has no sender, the stored sender also stays, unless a change was refused and the label is requested.
 */
function keepsSender({ patch, sender }: LabelRow, said: LabelDescription): boolean {
  if (sender === null) return false
  const isFinal = said.requested
  if (said.sender === null) return !(isFinal && patch?.state === 'rejected')
  if (isFinal || !patch) return false
  return isOpen(patch.state) || patch.state === 'rejected'
}
