import { beforeAll, describe, expect, it } from 'vitest'
import { commandStates } from '#shared/domain/command-state.ts'
import {
  isOver,
  isPending,
  type LabelFacts,
  labelParts,
  labelPhases,
  listedLabelState,
  listedLabelStates,
  phaseOf,
  stepStates,
} from '#shared/domain/label-phase.ts'
import { labelActs, type LabelState, labelState } from '#shared/domain/label-state.ts'
import { isPrintOpen, printStates } from '#shared/domain/print-job.ts'
import { type ErrorCode, errorCodes } from '#shared/errors/catalogue.ts'
import { count } from '#support/counts.ts'

/**
 * One error code for each effect of a failure on the state. A test below proves that every other code has one of these
 * effects.
 */
const failures = [
  null,
  'network.offline',
  'session.expired',
  'printer.refused',
  'api.rejected',
  'api.not_found',
  'store.full',
  'return_label.method_unsupported',
  'return_label.address_invalid',
  'return_label.already_requested',
] as const satisfies readonly (ErrorCode | null)[]

const both = [false, true] as const
const writes = [null, ...commandStates] as const
const prints: readonly LabelFacts['print'][] = [
  null,
  ...printStates.flatMap((state) =>
    both.flatMap((isHeld) => both.map((isFile) => ({ state, isHeld, isFile }))),
  ),
]
/**
 * All states of a write except `sending`, because a test below proves that `sending` has the same effect as `queued`.
 */
const told = commandStates.filter((state) => state !== 'sending')
const toldWrites = [null, ...told] as const
const toldPrints = prints.filter((print) => print?.state !== 'sending')

const values: { readonly [Fact in keyof LabelFacts]: readonly LabelFacts[Fact][] } = {
  create: told,
  patch: toldWrites,
  request: toldWrites,
  cancel: toldWrites,
  asked: both,
  requested: both,
  cancelled: both,
  stored: both,
  byHand: both,
  print: toldPrints,
  failure: failures,
}
const facts = Object.entries(values)
const combinations = facts.reduce((product, [, all]) => product * all.length, 1)

/** Returns the combination with this number. The digits of the number select the value of each fact. */
function combination(number: number): LabelFacts {
  let rest = number
  const label: Record<string, unknown> = {}
  for (const [name, all] of facts) {
    label[name] = all[rest % all.length]
    rest = Math.floor(rest / all.length)
  }
  return label as unknown as LabelFacts
}

/** The rules that every label satisfies, by name. */
const rules: Readonly<Record<string, (label: LabelFacts, state: LabelState) => boolean>> = {
  'a label is in the phase cancelled exactly when it is cancelled': (label, { phase }) =>
    label.cancelled === (phase === 'cancelled'),
  'a write with an unknown outcome is checked, or needs a decision': (label, { phase }) => {
    const isInDoubt = [label.create, label.patch, label.request, label.cancel].includes('unknown')
    const expected = isInDoubt && !label.cancelled
    return expected
      ? phase === (label.asked ? 'decide' : 'checking')
      : phase !== 'decide' && phase !== 'checking'
  },
  'a held print is shown as held only while it waits': ({ print }, { phase }) =>
    phase !== 'print_held' || (print?.isHeld === true && isPrintOpen(print.state)),
  'a phase names paper only for a label with a print': ({ print }, { phase }) =>
    !['sent', 'spooled', 'printed', 'scanned', 'print_unknown'].includes(phase) || print !== null,
  'a label in an open phase is requested or can be changed': (label, { phase, bars }) =>
    !['unrequested', 'changing', 'unchanged'].includes(phase) || label.requested || bars.change === null,
  'a request is offered only for a label that has not ended and is not requested': (label, { acts, bars }) =>
    !offers(acts, 'request') || (bars.request === null && !label.requested),
  'a label is cancelled only before its final state': (_, { acts, bars, isVoid }) =>
    !offers(acts, 'cancel') || (bars.cancel === null && bars.change === null && !isVoid),
  'a reprint needs a created label': (_, { acts, bars }) =>
    !offers(acts, 'reprint') || bars.print !== 'return_label.not_made_yet',
  'a PDF is fetched only for a requested label without a stored PDF': (label, { acts }) =>
    !offers(acts, 'fetch') || (label.requested && !label.stored),
  'a second label is created only when the first is void, stopped or set aside': (
    _,
    { acts, phase, isVoid },
  ) =>
    !(offers(acts, 'make') || offers(acts, 'make_again')) ||
    isVoid ||
    phase === 'stopped' ||
    phase === 'set_aside',
  'no primary act is offered while an outcome is unknown or a print is held': (_, { acts, phase }) =>
    !['decide', 'checking', 'print_held'].includes(phase) || acts.primary === null,
  'at most three other acts accompany the primary one, each once': (_, { acts: { primary, others } }) =>
    others.length <= 3 &&
    new Set([primary, ...others]).size === others.length + 1 &&
    others.every((act) => labelActs.includes(act)),
  'a cancelled label has no further steps': (label, { steps }) =>
    !label.cancelled || steps.slice(1).every((step) => step === 'never'),
  'the steps of a possible label follow each other in order': (label, { steps }) => {
    if (!canBe(label) || label.cancelled) return true
    const first = steps.findIndex((step) => step !== 'done')
    return first === -1 || steps.slice(first + 1).every((step) => step === 'todo')
  },
  'the list shows a label as cancelled exactly in the phase cancelled, and as stopped only if its creation is over':
    (label, { phase }) => {
      const listed = listedLabelState(label)
      return (
        (listed === 'cancelled') === (phase === 'cancelled') && (listed !== 'stopped' || isOver(label.create))
      )
    },
}

function offers({ primary, others }: LabelState['acts'], act: (typeof labelActs)[number]): boolean {
  return primary === act || others.includes(act)
}

/** Whether the facts follow the order of the chain: a print needs a PDF, a PDF a request, and a request a label. */
function canBe({ create, request, requested, stored, print }: LabelFacts): boolean {
  if (print !== null && !(stored && request !== null)) return false
  if (stored && !requested) return false
  return create === 'done' || (!requested && (request === null || isPending(create)))
}

const named = Object.entries(rules)
const broken = new Map<string, LabelFacts>()
const seen = { phases: new Set(), parts: new Set(), steps: new Set(), acts: new Set(), listed: new Set() }

beforeAll(() => {
  // a prime that does not divide the number of values of any fact, so that each value is combined with each value of
  // the other facts
  const stride = count(23, 1)
  for (let number = 0; number < combinations; number += stride) {
    const label = combination(number)
    const state = labelState(label)
    seen.phases.add(state.phase)
    seen.parts.add(state.about)
    for (const step of state.steps) seen.steps.add(step)
    for (const act of [state.acts.primary, ...state.acts.others]) seen.acts.add(act)
    seen.listed.add(listedLabelState(label))
    for (const [name, holds] of named) if (!broken.has(name) && !holds(label, state)) broken.set(name, label)
  }
}, 300_000)

describe('the label states of all tested combinations of facts', () => {
  it.each(Object.keys(rules))('satisfy the rule: %s', (name) => {
    expect(broken.get(name)).toBeUndefined()
  })

  it('include every value of labelPhases, labelParts, stepStates, labelActs and listedLabelStates', () => {
    expect(combinations).toBeGreaterThan(10_000_000)
    expect([...seen.phases].toSorted()).toEqual(labelPhases.toSorted())
    expect([...seen.parts].toSorted()).toEqual(labelParts.toSorted())
    expect([...seen.steps].toSorted()).toEqual(stepStates.toSorted())
    expect([...seen.acts].toSorted()).toEqual([...labelActs, null].toSorted())
    expect([...seen.listed].toSorted()).toEqual(listedLabelStates.toSorted())
  })
})

const rest: LabelFacts = {
  create: 'done',
  patch: null,
  request: null,
  cancel: null,
  asked: false,
  requested: false,
  cancelled: false,
  stored: false,
  byHand: false,
  print: null,
  failure: null,
}

/**
 * Yields combinations of the facts of a label, all with the error code `failure`: enough of them to show every way in
 * which an error code or the state of a write changes the state of the label.
 */
function* around(failure: ErrorCode | null): Generator<LabelFacts> {
  for (const create of commandStates)
    for (const request of writes)
      for (const patch of [null, 'done', 'rejected', 'discarded'] as const)
        for (const requested of both)
          for (const stored of both)
            for (const byHand of both)
              yield { ...rest, create, request, patch, requested, stored, byHand, failure }
}

const wordsOf = (failure: ErrorCode | null): string =>
  JSON.stringify([...around(failure)].map((label) => labelState(label)))

describe('the tested combinations of facts', () => {
  it('include one error code for each effect that an error code can have', () => {
    const known = new Set(failures.map(wordsOf))
    expect(errorCodes.filter((code) => !known.has(wordsOf(code)))).toEqual([])
    expect(known.size).toBe(failures.length)
  })

  it('include `queued` but not `sending`, because both lead to the same state of a label', () => {
    for (const name of ['create', 'patch', 'request', 'cancel'] as const)
      for (const label of around('network.offline'))
        expect(labelState({ ...label, [name]: 'sending' })).toEqual(
          labelState({ ...label, [name]: 'queued' }),
        )
  })

  it('have the phase unrequested before the request and never after it, whatever the state of the print', () => {
    expect(phaseOf(rest)).toBe('unrequested')
    expect(
      prints.map((print) => phaseOf({ ...rest, request: 'done', requested: true, print })),
    ).not.toContain('unrequested')
  })
})
