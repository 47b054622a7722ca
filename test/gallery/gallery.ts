import '../../src/app/zod-jitless.ts'
import '../../src/app/styles.ts'
import { mount, tick } from 'svelte'
import App from '../../src/app/App.svelte'
import { commandPrefix } from '#shared/domain/commands.ts'
import { languageOf } from '#shared/domain/languages.ts'
import type { HeardScan } from '#shared/domain/scan-burst.ts'
import { ScannerCapture } from '#scanner/capture.ts'
import { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import { dockScanner, scanSerial } from '#support/memory-desk/scanners.ts'
import { madeSecret } from '#support/memory-desk/station.ts'
import { scenarios } from './scenarios.ts'
import { shiftNumbers } from './shift-numbers.ts'

/**
 * Event timestamp at which the latest scan of the scenario began. Each scan begins a second after the previous one. The
 * first scan begins so early that all scans are in the past.
 */
let scanAtMs = performance.now() - 1_000 * 60

/**
 * Types a scan into the focused element, as a keyboard-wedge scanner does. If the scan is a command barcode without a
 * secret, types it with the secret of the scenario's station, if that station has one.
 */
function scan(text: string): void {
  scanAtMs += 1_000
  const code = text.startsWith(commandPrefix(null)) ? text.slice(commandPrefix(null).length) : null
  const typed = code === null ? text : commandPrefix(secretOf(desk)) + code
  for (const [index, key] of [...Array.from(typed), 'Enter'].entries()) {
    for (const type of ['keydown', 'keyup']) {
      const init = { key, code: key, bubbles: true, cancelable: true }
      const event = new KeyboardEvent(type, init)
      Object.defineProperty(event, 'timeStamp', { value: scanAtMs + index * 5 })
      const target = document.activeElement ?? document.body
      target.dispatchEvent(event)
    }
  }
}

function secretOf({ world }: MemoryDesk): string | null {
  const station = world.stations.find(({ id }) => id === world.currentStation)
  return station?.commandSecret?.text ?? null
}

/**
 * Returns the first element that matches. Throws if there is none, because the screen is then not the one that the
 * scenario means.
 */
function find(selector: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(selector)
  if (!element) throw new Error(`nothing matches ${selector}`)
  return element
}

/** Returns the field with this label, in the shown language. */
function labelled(words: () => string): HTMLInputElement | HTMLTextAreaElement {
  const label = [...document.querySelectorAll('label')].find((one) => one.textContent.trim() === words())
  const field = label?.control
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field
  throw new Error(`no field is labelled ${words()}`)
}

async function settle(): Promise<void> {
  for (let i = 0; i < 8; i++) {
    await tick()
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
}

const query = new URLSearchParams(location.search)
const scenario = scenarios.find(({ name }) => name === query.get('scenario'))
const target = document.getElementById('app')
if (!scenario || !target) throw new Error('no such scenario')

const desk = new MemoryDesk(scenario.world(Date.now()))
desk.world.info.settings.language = languageOf(query.get('language')) ?? 'en'
// `secret`: the same screen at a station whose command barcodes contain a secret and are therefore longer than in the
// sandbox
const secret = query.get('secret')
if (secret !== null)
  desk.world.stations = desk.world.stations.map((station) => ({
    ...station,
    commandSecret: madeSecret(secret, Date.now() - 30 * 24 * 3600_000),
  }))
// `shift`: the same screen with this number added to all figures of the service; test/integration/ages.test.ts compares
// the same screen with two different numbers
shiftNumbers(desk.world, Number(query.get('shift') ?? 0))
// the event `offline` makes the connection fail while the screen is shown, so that test/integration/screens.test.ts
// finds parts that move
window.addEventListener('offline', () => {
  const { status } = desk.world
  desk.world.status = { ...status, line: { ...status.line, state: 'offline', failure: null } }
  desk.emit('status', desk.world.status)
})
// the event `serialscan` is a scan of a serial scanner, which sends no keys; `detail` is the scanned text
window.addEventListener('serialscan', (event) => {
  if (event instanceof CustomEvent) scanSerial(desk, dockScanner.id, String(event.detail))
})
if (scenario.unfocused) document.hasFocus = () => false
// `catch`: after the steps of the scenario, further scans are recorded and have no effect;
// test/integration/scan-crawl.test.ts uses this to scan into every part of every screen
const caught: string[] = []
let isCatching = false
if (query.has('catch')) {
  // With `catch`, the listeners are added before the app's own listeners. They ignore all events until the screen is
  // shown.
  const deaf = new Proxy(window, {
    get(target, key): unknown {
      if (key === 'document') return target.document
      return (type: string, listener: (event: Event) => void, options: AddEventListenerOptions): void => {
        const hear = (event: Event): void => {
          if (isCatching) listener(event)
        }
        target.addEventListener(type, hear, options)
      }
    },
  })
  const onScan = ({ raw }: HeardScan): void => void caught.push(raw)
  new ScannerCapture(
    deaf,
    onScan,
    () => null,
    () => () => true,
  ).start()
  Object.assign(window, { caught })
}
mount(App, { target, props: { bridge: desk.bridge } })
await settle()
for (const step of scenario.steps ?? []) {
  if (step.scan !== undefined) scan(step.scan)
  if (step.click !== undefined) find(step.click).click()
  if (step.show !== undefined) find(step.show).scrollIntoView()
  if (step.type !== undefined) {
    const field = labelled(step.type.into)
    field.value = step.type.text
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }
  if (step.input !== undefined) {
    const field = find(step.input)
    if (!(field instanceof HTMLInputElement)) throw new Error(`${step.input} is no field`)
    field.value = step.text ?? ''
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }
  step.desk?.(desk)
  await settle()
}
// waits for the parts that appear after a delay: the card for a slow response, and the list while an operator types
const isSlow = desk.world.hanging.size > 0 || scenario.steps?.some(({ type }) => type !== undefined) === true
if (isSlow) await new Promise((resolve) => setTimeout(resolve, 200))
isCatching = true
document.documentElement.dataset['ready'] = 'yes'
