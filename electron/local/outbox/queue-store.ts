import { randomUUID } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import type { CommandRow } from '#desk/ports/commands.ts'
import type { DecisionEffect, DecisionNote, QueueStore, TakenInto } from '#desk/ports/queue-store.ts'
import { applyFacts, type FactsAppliers } from './command-facts.ts'
import { createCommandMove, createCommandStop } from './command-moves.ts'
import { createCommandReads } from './command-reads.ts'
import { createCommandInsert } from './command-rows.ts'
import { createDraftSave } from '../modifications/draft-store.ts'
import { createNotices } from './notices.ts'
import { createSettingsStore } from '../settings-store.ts'
import { guard } from '../sqlite-failure.ts'

/** Decisions about commands, each with its log in one transaction; and the notices. */
export function createQueueStore(database: Database, scope: string, appliers: FactsAppliers): QueueStore {
  const reads = createCommandReads(database, scope)
  const take = createEffects(database, scope, appliers)
  const log = createLog(database, scope)
  const decide = database.transaction(
    (note: DecisionNote, from: CommandRow['state'], effect: DecisionEffect): boolean => {
      const command = reads.get(note.commandId)
      if (command?.state !== from || !take(command, effect, note.at)) return false
      log(command, note)
      return true
    },
  )
  return {
    decide: guard((note, from, effect) => decide.immediate(note, from, effect)),
    ...createNotices(database, scope),
  }
}

type Take = (command: CommandRow, effect: DecisionEffect, at: number) => boolean

function createEffects(database: Database, scope: string, appliers: FactsAppliers): Take {
  const move = createCommandMove(database, scope)
  const stop = createCommandStop(database, scope)
  const changes = createChanges(database, scope)
  const queueAnew = createQueueAnew(database, scope)
  const putAway = createPutAway(database, scope)
  return (command, effect, at) => {
    const { id, state, failure } = command
    switch (effect.do) {
      case 'adopt':
        if (!move(id, 'complete', at, null)) return false
        applyFacts(appliers, command.subject.id, effect.facts, at)
        return true
      case 'send_again':
        changes.acknowledge(command, effect.acknowledged)
        return move(id, 'requeue', at, failure) && changes.sendUnseen(id)
      case 'go_on':
        changes.acknowledge(command, effect.acknowledged)
        return changes.withdraw(id)
      case 'retry':
        if (state !== 'rejected') return changes.withdraw(id)
        return move(id, 'requeue', at, null) && queueAnew(command, at)
      case 'discard':
        return stop(id, 'discard', at, null)
      case 'take_out':
        return stop(id, 'discard', at, null) && putAway(effect.into)
      case 'nothing':
        return true
    }
  }
}

interface Changes {
  acknowledge(command: CommandRow, ids: readonly string[]): void
  sendUnseen(id: string): boolean
  withdraw(id: string): boolean
}

function createChanges(database: Database, scope: string): Changes {
  const acknowledge = database.prepare<[string, string, string]>(
    'UPDATE commands SET acknowledged = ? WHERE id = ? AND scope = ?',
  )
  const unseen = database.prepare<[string, string]>(
    'UPDATE commands SET sends_unseen = 1 WHERE id = ? AND scope = ?',
  )
  const withdraw = database.prepare<[string, string]>(
    'UPDATE commands SET needs_operator = 0, question = NULL WHERE id = ? AND scope = ?',
  )
  return {
    acknowledge({ id, acknowledged }, ids) {
      acknowledge.run(JSON.stringify([...new Set([...acknowledged, ...ids])]), id, scope)
    },
    sendUnseen: (id) => unseen.run(id, scope).changes === 1,
    withdraw: (id) => withdraw.run(id, scope).changes === 1,
  }
}

interface Fallen {
  type: string
  payload: string | null
  made_by: string | null
}

/**
 * A refused command goes to the end of its line: what was asked for since, such as a change of the address that it was
 * refused for, comes first. What fell with it is wanted again with it: the same writes as new commands behind it.
 */
function createQueueAnew(database: Database, scope: string): (command: CommandRow, at: number) => true {
  const insert = createCommandInsert(database, scope)
  const fallen = database.prepare<[string, string, number], Fallen>(
    `SELECT f.type, f.payload, f.made_by FROM commands c JOIN commands f
       ON f.subject_kind = c.subject_kind AND f.subject_id = c.subject_id AND f.seq > c.seq
     WHERE c.id = ? AND c.scope = ? AND f.state = 'discarded' AND f.attempts = 0 AND f.state_at = ?
     ORDER BY f.seq`,
  )
  const goLast = database.prepare<[string, string]>(
    `UPDATE commands SET seq = (SELECT max(seq) FROM commands) + 1 WHERE id = ? AND scope = ?
       AND EXISTS (SELECT 1 FROM commands n WHERE n.scope = commands.scope AND n.aggregate = commands.aggregate
         AND n.seq > commands.seq AND n.state IN ('queued', 'sending', 'unknown'))`,
  )
  return ({ id, subject, aggregate, stateAt }, at) => {
    const wanted = fallen.all(id, scope, stateAt)
    goLast.run(id, scope)
    for (const { type, payload, made_by: madeBy } of wanted)
      insert({ id: randomUUID(), subject, aggregate, type, payload, madeBy, at })
    return true
  }
}

function createPutAway(database: Database, scope: string): (into: TakenInto) => true {
  const saveDraft = createDraftSave(database, scope)
  const settings = createSettingsStore(database, scope)
  return (into) => {
    if (into.place === 'modification_draft') saveDraft(into.history)
    if (into.place === 'setting') settings.write(into.key, into.value)
    return true
  }
}

function createLog(database: Database, scope: string): (command: CommandRow, note: DecisionNote) => void {
  const insert = database.prepare<[string, string, number, string | null, string, string | null, string]>(
    `INSERT INTO decisions (scope, command_id, at, decided_by, decision, details, shown)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  return ({ state, failure, question }, { commandId, at, by, decision, details }) => {
    const shown = JSON.stringify({ state, failure, question })
    insert.run(scope, commandId, at, by, decision, details && JSON.stringify(details), shown)
  }
}
