import { m } from '#messages/messages.js'
import type {
  ConnectionProblem,
  ConnectionState,
  ConnectionStep,
  connectionSteps,
  ConnectionTest,
} from '#shared/bridge/views.ts'
import type { Outcome } from '#ui/outcome.ts'

type Params = NonNullable<ConnectionTest['problem']>['params']

/**
 * The steps in their order: a copy of the list in the contract of the bridge, because an import of that list would also
 * load zod. With the type, the compiler compares the copy with the list.
 */
const order: typeof connectionSteps = ['address', 'name', 'port', 'tls', 'service', 'wms', 'customer']

const stepNames: Readonly<Record<ConnectionStep, () => string>> = {
  address: m.connection_step_address,
  name: m.connection_step_name,
  port: m.connection_step_port,
  tls: m.connection_step_tls,
  service: m.connection_step_service,
  wms: m.connection_step_wms,
  customer: m.connection_step_customer,
}

const states: Readonly<Record<ConnectionState, readonly [Outcome, () => string]>> = {
  passed: ['done', m.setup_step_yes],
  failed: ['stop', m.setup_step_no],
  not_reached: ['none', m.setup_step_skipped],
  not_needed: ['none', m.connection_not_needed],
  by_proxy: ['none', m.connection_by_proxy],
  at_login: ['none', m.connection_at_login],
  not_told: ['none', m.connection_not_told],
}

/** Returns the steps of a connection test in their order, each with a mark and its result. */
export function stepWords({ steps }: ConnectionTest): readonly {
  readonly step: ConnectionStep
  readonly state: ConnectionState
  readonly name: string
  readonly outcome: Outcome
  readonly words: string
}[] {
  return order.map((step) => {
    const state = steps[step]
    const [outcome, words] = states[state]
    return { step, state, name: stepNames[step](), outcome, words: words() }
  })
}

/** Two lines for each problem: the fault, and the next check. */
const problems: Readonly<Record<ConnectionProblem, (values: Values) => string>> = {
  no_address: m.connection_no_address,
  insecure_address: m.connection_insecure_address,
  name_unknown: m.connection_name_unknown,
  name_not_looked_up: m.connection_name_not_looked_up,
  port_refused: m.connection_port_refused,
  port_unreachable: m.connection_port_unreachable,
  port_silent: m.connection_port_silent,
  proxy_failed: m.connection_proxy_failed,
  no_tls: m.connection_no_tls,
  tls_silent: m.connection_tls_silent,
  tls_failed: m.connection_tls_failed,
  certificate_untrusted: m.connection_certificate_untrusted,
  certificate_other_name: m.connection_certificate_other_name,
  certificate_expired: m.connection_certificate_expired,
  certificate_not_yet_valid: m.connection_certificate_not_yet_valid,
  certificate_wrong: m.connection_certificate_wrong,
  server_silent: m.connection_server_silent,
  hung_up: m.connection_hung_up,
  no_service_at_host: m.connection_no_service_at_host,
  no_service_at_path: m.connection_no_service_at_path,
  redirected: m.connection_redirected,
  not_the_service: m.connection_not_the_service,
  server_error: m.connection_server_error,
  too_many_requests: m.connection_too_many_requests,
  forbidden: m.connection_forbidden,
  wms_unknown: m.connection_wms_unknown,
  customer_unknown: m.connection_customer_unknown,
  unreachable: m.connection_unreachable,
}

interface Values {
  readonly host: string
  readonly port: string
  readonly proxy: string
  readonly path: string
  readonly origin: string
  readonly target: string
  readonly status: string
  readonly wms: string
  readonly customer: string
}

function valuesOf(params: Params): Values {
  const value = (name: string): string => String(params[name] ?? '')
  return {
    host: value('host'),
    port: value('port'),
    proxy: value('proxy'),
    path: value('path'),
    origin: value('origin'),
    target: value('target'),
    status: value('status'),
    wms: value('wms'),
    customer: value('customer'),
  }
}

/** Returns the result of a test, the next action, and the codes for support. Without a problem there are no codes. */
export function verdictOf({ problem, steps }: ConnectionTest): {
  readonly outcome: Outcome
  readonly found: string
  readonly next: string
  readonly parts: readonly string[]
} {
  if (problem === null) {
    const words = steps.wms === 'passed' ? m.connection_good() : m.connection_good_codes_later()
    const [found = '', next = ''] = words.split('\n')
    return { outcome: 'done', found, next, parts: [] }
  }
  const { code, params } = problem
  const [found = '', next = ''] = problems[code](valuesOf(params)).split('\n')
  const shown = ['host', 'port', 'status', 'cause'].filter((name) => params[name] !== undefined)
  const parts = [`connection.${code}`, ...shown.map((name) => `${name} ${String(params[name])}`)]
  return { outcome: 'stop', found, next, parts }
}
