import { type Case, isOpen } from './case.ts'
import type { Deed } from './deed.ts'
import type { Findings } from './findings.ts'
import { senderOf } from './operator.ts'
import type { DeskLabel, DeskTruth, ServiceLabel } from './truth.ts'

/**
 * Compares the labels of the desk with those of the service. Labels of the same shipment, and labels without a shipment
 * that have the same reference, are judged together, because the desk could mistake one of them for another.
 */
export function judgeLabels(about: Case, findings: Findings): void {
  const { desk, diary } = about
  const known = new Set(desk.labels.map(({ id }) => id))
  for (const { deed, subjectId } of diary.acknowledged) {
    if (deed.kind !== 'modification' && !known.has(subjectId))
      findings.lost.push({ what: deed.kind, subjectId, detail: 'not in desk.db' })
  }
  const keyOf = (shipment: string | null, reference: string | null): string => shipment ?? reference ?? ''
  const rows = Map.groupBy(about.service.labels, (row) => keyOf(row.shipment_id, row.external_reference))
  const own = desk.labels.filter(({ origin }) => origin === 'desk')
  const groups = Map.groupBy(own, (label) => keyOf(label.shipment_id, label.wished_reference))
  for (const [key, labels] of groups) judgeCreations(about, findings, labels, rows.get(key) ?? [])
  for (const [key, strangers] of rows)
    if (!groups.has(key))
      findings.wrong.push({
        what: 'return_label.create',
        subjectId: '',
        detail: `no desk made ${strangers[0]?.id}`,
      })
  for (const label of own) judgeLabel(about, findings, label)
}

function judgeCreations(
  about: Case,
  findings: Findings,
  labels: readonly DeskLabel[],
  rows: readonly ServiceLabel[],
): void {
  const what = 'return_label.create'
  const [first] = labels
  const subjectId = first?.id ?? ''
  const states = labels.map((label) => ({ label, state: createState(about, label) }))
  const open = states.filter(({ state }) => ['queued', 'sending', 'unknown'].includes(state))
  const done = states.filter(({ state }) => state === 'done')
  // A creation that was discarded before it was sent is correct only if the operator cancelled the label.
  const stopped = states.filter(
    ({ label, state }) => state === 'rejected' || (state === 'discarded' && label.cancelled === 0),
  )
  let tooMany = Math.max(0, rows.length - done.length - open.length)
  for (const { label, state } of stopped) {
    const arrived = tooMany-- > 0
    const finding = { what, subjectId: label.id, detail: `${state} here, ${arrived ? 'made' : 'not'} there` }
    if (arrived) findings.wrong.push(finding)
    else findings.lost.push(finding)
  }
  for (; tooMany > 0; tooMany--)
    findings.duplicated.push({ what, subjectId, detail: rows.map(({ id }) => id).join(' ') })
  for (const { label } of done) {
    if (!rows.some(({ id }) => id === label.server_id))
      findings.lost.push({
        what,
        subjectId: label.id,
        detail: `done here, ${String(label.server_id)} is not there`,
      })
    else if (done.some((other) => other.label !== label && other.label.server_id === label.server_id))
      findings.wrong.push({ what, subjectId: label.id, detail: `shares ${String(label.server_id)}` })
  }
}

function createState({ desk }: Case, { id }: DeskLabel): string {
  const create = desk.commands.find((one) => one.subject_id === id && one.type === 'return_label.create')
  return create?.state ?? 'none'
}

/** Compares one label with the actions of the operator that concern it. */
function judgeLabel(about: Case, findings: Findings, label: DeskLabel): void {
  const row = about.service.labels.find(({ id }) => id === label.server_id)
  if (!row || isOpen(about, label.id)) return
  const subjectId = label.id
  const isPromised = about.diary.acknowledged.some(
    (one) => one.deed.kind === 'label' && one.subjectId === label.id,
  )
  const asked = about.diary.entries.filter((entry) =>
    entry.subjectId === null ? isAbout(entry.deed, label, isPromised) : entry.subjectId === label.id,
  )
  if (row.documents > 1)
    findings.duplicated.push({
      what: 'return_label.request',
      subjectId,
      detail: `drawn ${row.documents} times`,
    })
  const said = label.requested === 1 ? 'requested' : label.cancelled === 1 ? 'cancelled' : 'unrequested'
  if (said !== row.state)
    findings.wrong.push({ what: 'state', subjectId, detail: `${said} here, ${row.state} there` })
  judgeState(findings, row, subjectId, asked)
  judgeContent(about, findings, row, subjectId, asked)
}

interface Asked {
  readonly deed: Deed
  readonly subjectId: string | null
}

/**
 * Whether an action without an acknowledgement may concern this label. `isPromised`: the label was created by another
 * action, which was acknowledged.
 */
function isAbout(deed: Deed, label: DeskLabel, isPromised: boolean): boolean {
  if (deed.kind === 'modification') return false
  if (deed.kind !== 'label') return deed.labelId === label.id
  if (isPromised) return false
  return deed.reference === null
    ? deed.shipmentId === label.shipment_id
    : deed.reference === label.wished_reference
}

function judgeState(
  findings: Findings,
  { state }: ServiceLabel,
  subjectId: string,
  asked: readonly Asked[],
): void {
  const isRequest = ({ deed }: Asked): boolean =>
    deed.kind === 'request' || (deed.kind === 'label' && deed.isRequested)
  const isCancel = ({ deed }: Asked): boolean => deed.kind === 'cancel'
  const isPromised = (one: Asked): boolean => one.subjectId !== null
  const mayBe = new Set<string>()
  if (asked.some(isRequest)) mayBe.add('requested')
  if (asked.some(isCancel)) mayBe.add('cancelled')
  const promisesRequest = asked.some((one) => isRequest(one) && isPromised(one))
  const promisesCancel = asked.some((one) => isCancel(one) && isPromised(one))
  if (!promisesRequest && !promisesCancel) mayBe.add('unrequested')
  if (mayBe.has(state)) return
  // If both a request and a cancellation were acknowledged, the label may be requested or cancelled: the service
  // applies the first of the two and refuses the other.
  const what = promisesCancel ? 'return_label.cancel' : 'return_label.request'
  const finding = { what, subjectId, detail: `is ${state}, may be ${[...mayBe].join(' or ')}` }
  if (state === 'unrequested') findings.lost.push(finding)
  else findings.wrong.push(finding)
}

function judgeContent(
  { desk }: Case,
  findings: Findings,
  row: ServiceLabel,
  subjectId: string,
  asked: readonly Asked[],
): void {
  const makes = asked.flatMap(({ deed }) => (deed.kind === 'label' ? [deed] : []))
  const methods = makes.flatMap(({ methodId }) => methodId ?? [])
  // If an action names no shipping method, the service may choose any method.
  if (methods.length > 0 && methods.length === makes.length && !methods.includes(row.shipping_method_id))
    findings.wrong.push({
      what: 'method',
      subjectId,
      detail: `is ${row.shipping_method_id}, may be ${methods.join(' or ')}; ${pathOf(desk, subjectId)}`,
    })
  if (makes.some(({ reference }) => reference !== null) && row.street !== senderOf('').street)
    findings.wrong.push({ what: 'sender', subjectId, detail: `street is ${row.street}` })
  // When a label is cancelled, its waiting changes are discarded.
  if (row.state === 'cancelled') return
  const cities = asked.flatMap(({ deed, subjectId: promised }) => {
    const city = deed.kind === 'patch' || deed.kind === 'label' ? deed.city : null
    return city === null ? [] : [{ city, isPromised: promised !== null }]
  })
  const last = cities.findLastIndex(({ isPromised }) => isPromised)
  if (last < 0) return
  const mayBe = cities.slice(last).map(({ city }) => city)
  if (mayBe.includes(row.city)) return
  const finding = {
    what: 'return_label.patch',
    subjectId,
    detail: `is ${row.city}, may be ${mayBe.join(' or ')}; ${pathOf(desk, subjectId)}`,
  }
  if (cities.some(({ city }) => city === row.city)) findings.lost.push(finding)
  else findings.wrong.push(finding)
}

/** Describes the commands of a subject in desk.db, in their order. The text is part of a finding. */
function pathOf({ commands }: DeskTruth, subjectId: string): string {
  return commands
    .filter((one) => one.subject_id === subjectId)
    .map((one) => {
      const { type, state, payload, attempts, created_at: made, first_sent_at: sent, ended_at: ended } = one
      return JSON.stringify({ type, state, payload, attempts, made, sent, ended, moved: one.state_at })
    })
    .join(' ')
}
