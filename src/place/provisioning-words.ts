import { m } from '#messages/messages.js'
import type {
  AllowedValue,
  LostPart,
  ProvisioningProblem,
  ProvisioningView,
  SettingsLoss,
} from '#shared/bridge/setup-views.ts'

/** Longest name that a sentence shows, in characters. Names come from a file, and the sentence must stay readable. */
const longestName = 40

/** Returns one sentence: the place in the set-up file, the fault, and the allowed values. */
export function provisioningWords(problem: ProvisioningProblem): string {
  const sentence = faultWords(problem)
  const place = placeWords(problem)
  const whole = place === null ? sentence : m.provision_place({ place, problem: sentence })
  return whole.charAt(0).toLocaleUpperCase() + whole.slice(1)
}

/**
 * Returns the words for the faulty entry of the set-up file; null if the fault is in the whole file, in a value outside
 * of the lists, or in a list as a whole.
 */
function placeWords({ part, number, name }: ProvisioningProblem): string | null {
  if (part === 'routes') {
    if (name === null) return null
    const route = { name: short(name), number: String(number) }
    return number === null ? m.provision_routes_of(route) : m.provision_route(route)
  }
  if (part === null || number === null) return null
  const words = {
    stations: [m.provision_station, m.provision_station_named],
    printers: [m.provision_printer, m.provision_printer_named],
    scanners: [m.provision_scanner, m.provision_scanner_named],
  } as const
  const [plain, named] = words[part]
  return name === null ? plain({ number }) : named({ number, name: short(name) })
}

/** Sentences about faults that concern the whole set-up file. */
const fileWords = {
  not_there: () => m.provision_not_there(),
  gone: () => m.provision_gone(),
  not_allowed: () => m.provision_not_allowed(),
  not_protected: ({ place }) => m.provision_not_protected({ place: String(place ?? '') }),
  not_own: () => m.provision_not_own(),
  rights_unknown: () => m.provision_rights_unknown(),
  not_a_file: () => m.provision_not_a_file(),
  too_large: () => m.provision_too_large(),
  unreadable: ({ cause }) => m.provision_unreadable({ cause: String(cause ?? '') }),
  not_text: () => m.provision_not_text(),
  not_json: ({ line, column }) =>
    m.provision_not_json({ line: String(line ?? ''), column: String(column ?? '') }),
  not_object: () => m.provision_not_object(),
} as const satisfies Partial<
  Record<ProvisioningProblem['code'], (params: ProvisioningProblem['params']) => string>
>

function isOfFile(code: ProvisioningProblem['code']): code is keyof typeof fileWords {
  return code in fileWords
}

function faultWords(problem: ProvisioningProblem): string {
  const { code, params, field, part, allowed } = problem
  // the fault is in the list as a whole and not in one of its entries
  const subject = field === '' && problem.number === null && problem.name === null ? (part ?? '') : field
  if (code === 'missing') return m.provision_missing({ field: subject, allowed: allowedWords(allowed) })
  if (code === 'wrong') {
    const words = { field: subject, allowed: allowedWords(allowed) }
    return subject === '' ? m.provision_wrong_entry(words) : m.provision_wrong(words)
  }
  const text = (name: string): string => short(String(params[name] ?? ''))
  if (isOfFile(code)) return fileWords[code](params)
  switch (code) {
    case 'unknown_name':
      return m.provision_unknown_name({ field: short(field), known: String(params['known'] ?? '') })
    case 'needs_address':
      return m.provision_needs_address()
    case 'needs_end_text':
      return m.provision_needs_end_text()
    case 'insecure_url':
      return m.provision_insecure_url()
    case 'invalid_url':
      return m.provision_invalid_url()
    case 'invalid_code':
      return m.provision_invalid_code({ field, code: text('code') })
    case 'invalid_host':
      return m.provision_invalid_host({ host: text('host') })
    case 'same_station':
      return m.provision_same_station({ other: text('other') })
    case 'same_name':
      return m.provision_same_name({ other: text('other') })
    case 'same_printer':
      return m.provision_same_printer({ printer: text('printer'), other: text('other') })
    case 'same_scanner':
      return m.provision_same_scanner({ scanner: text('scanner'), other: text('other') })
    case 'no_station':
      return m.provision_no_station()
    case 'two_stations':
      return m.provision_two_stations()
    case 'route_twice':
      return m.provision_route_twice()
    case 'no_printer':
      return m.provision_no_printer({ printerId: text('printerId') })
  }
}

function allowedWords(allowed: AllowedValue | null): string {
  if (allowed === null) return m.allowed_object()
  const words = formWords(allowed)
  return allowed.orNull ? m.allowed_or_null({ allowed: words }) : words
}

function formWords({ form, min, max, step, values }: AllowedValue): string {
  switch (form) {
    case 'whole':
      return m.allowed_whole({ min, max: max ?? '…' })
    case 'number':
      return m.allowed_number({ min, max: max ?? '…', step: step ?? '…' })
    case 'choice':
      return m.allowed_choice({ values: values.join(', ') })
    case 'text':
      return max === null ? m.allowed_text_any() : m.allowed_text({ min, max })
    case 'command_secret':
      return m.allowed_command_secret()
    case 'latin1':
      return m.allowed_latin1({ max: max ?? '…' })
    case 'flag':
      return m.allowed_flag()
    case 'list':
      return max === null ? m.allowed_list_any() : m.allowed_list({ min, max })
    case 'object':
      return m.allowed_object()
    case 'device':
      return m.allowed_device()
    case 'ipp':
      return m.allowed_ipp()
    case 'media':
      return m.allowed_media()
    case 'size':
      return m.allowed_size()
  }
}

function short(text: string): string {
  return text.length > longestName ? `${text.slice(0, longestName - 1).trimEnd()}…` : text
}

/** Returns why the set-up file was refused: the sentence about its first fault, and whether it has further faults. */
export function refusedWords({ file, problems }: ProvisioningView): string {
  const [first, ...others] = problems
  if (!first) return ''
  if (first.code === 'gone') return m.notice_refused_gone({ file: file ?? '' })
  const problem = provisioningWords(first)
  return others.length > 0 ? m.notice_refused_more({ problem }) : m.notice_refused_text({ problem })
}

/** Returns which settings are lost, and where a copy of the damaged file is stored. */
export function lostWords({ extent, parts, copy, restoredBy }: SettingsLoss): string {
  const nameOf = (part: LostPart): string =>
    part === 'stations' && restoredBy !== null ? m.notice_part_other_stations() : m[`notice_part_${part}`]()
  const names = parts.map(nameOf).join(', ')
  const whole = extent === 'all' ? m.notice_lost_all() : m.notice_lost_missing()
  const lost = extent === 'part' ? m.notice_lost_part({ parts: names }) : whole
  const happened = restoredBy === null ? lost : m.notice_lost_restored({ file: restoredBy, parts: names })
  return copy === null ? happened : `${happened} ${m.notice_lost_copy({ copy })}`
}
