import type { PrinterView } from '#shared/bridge/print-views.ts'
import { methodKey, type Named, onlyWithKey, printerKey, stationKey } from '#shared/domain/commands.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { printerName } from '#place/print-words.ts'
import { repeatedReadMs } from '#place/repeated-reads.ts'
import type { DeskWindow } from './window.svelte.ts'

/** The open question whether one printer prints all return labels of label size from now on. */
interface RouteQuestion {
  readonly printer: string
  readonly sinceMs: number
}

/** Maximum time in milliseconds between the question about a printer (`RouteQuestion`) and the scan that answers it. */
const latestMs = 60_000

/**
 * Commands whose barcode names one of several things, such as a printer or a station. The effect of such a command
 * depends on the open place.
 */
export class NamedCommands {
  readonly #desk: DeskWindow
  readonly #nowMs: () => number
  #question: RouteQuestion | null = null

  constructor(desk: DeskWindow, nowMs: () => number = Date.now) {
    this.#desk = desk
    this.#nowMs = nowMs
  }

  /** Withdraws the open question about a printer, because a scan arrived that is none of the commands of this class. */
  forget(): void {
    this.#question = null
  }

  /** Runs the command after its scan was written to the journal. If the command cannot act, a notice shows why. */
  async run({ name, key }: Named): Promise<void> {
    const question = this.#question
    this.#question = null
    const { place, places } = this.#desk
    // on the stage, VIA and ONTO apply to the card of the previous scan, so they wait until that scan was looked up
    if (name !== 'DESK' && place === 'stage') await places.stage.settled()
    if (name === 'VIA') await this.#method(key)
    else if (name === 'ONTO') await this.#printer(key, question)
    else await this.station(key)
  }

  /**
   * Switches to the station with this key. The command also works before a login, because the station determines the
   * customer that the operator logs in to.
   */
  async station(key: string): Promise<void> {
    const { app, notices, play, setup } = this.#desk
    await setup.load()
    const station = onlyWithKey(setup.stations, key, stationKey)
    if (station === null) this.#desk.say({ kind: 'unknown', name: 'DESK' })
    else if (station.id === app.station?.id) this.#desk.say({ kind: 'station_is', station: station.name })
    else {
      notices.clear()
      play('done')
      await setup.use(station.id)
    }
  }

  async #method(key: string): Promise<void> {
    const { place, play } = this.#desk
    const { label_form: labelForm, stage } = this.#desk.places
    const found = await this.#desk.bridge.catalogue.methods()
    if (!found.ok) {
      this.#fail(found.error)
      return
    }
    const method = onlyWithKey(found.value.methods, key, methodKey)
    const fromCard = place === 'stage' && stage.labels.allows('method')
    if (method === null) this.#desk.say({ kind: 'unknown', name: 'VIA' })
    else if (!fromCard && (place !== 'label_form' || labelForm.isChange))
      this.#desk.say({ kind: 'method_where', method: method.description })
    else {
      if (fromCard) await stage.runAct('method')
      await this.#desk.arrived()
      labelForm.chooseMethod(method.id)
      play('done')
    }
  }

  async #printer(key: string, question: RouteQuestion | null): Promise<void> {
    const { bridge, here, place, play } = this.#desk
    const { prints, sheets } = this.#desk.places
    const found = await bridge.print.list()
    if (!found.ok) {
      this.#fail(found.error)
      return
    }
    const printer = onlyWithKey(found.value.printers, key, printerKey)
    if (printer === null) this.#desk.say({ kind: 'unknown', name: 'ONTO' })
    else if (place === 'sheets') {
      sheets.printerId = printer.name
      play('done')
    } else if (place === 'prints' && prints.opened !== null) await this.#move(printer)
    else {
      const { labelId } = here
      const job = found.value.open.find((one) => one.labelId === labelId && one.choices.includes('move'))
      if (!job) await this.#route(printer, question)
      else {
        this.#desk.openPrints(job.jobId)
        await this.#desk.arrived()
        await this.#move(printer)
      }
    }
  }

  /** Moves the open print job to this printer. If the job cannot be moved to this printer, a notice is shown. */
  async #move(printer: PrinterView): Promise<void> {
    const { prints } = this.#desk.places
    const mayMove = prints.offers('move') && prints.line?.printer !== printer.name
    if (mayMove) await prints.decide({ kind: 'move', printer: printer.name })
    else this.#desk.say({ kind: 'printer_where', printer: titleOf(printer) })
  }

  /**
   * Makes this printer print all return labels of label size of this station from now on. The first scan of the barcode
   * opens a question. A second scan of the same barcode within a minute confirms it, unless it follows so fast that the
   * scanner may have read the barcode twice.
   */
  async #route(printer: PrinterView, question: RouteQuestion | null): Promise<void> {
    const { bridge } = this.#desk
    const title = titleOf(printer)
    const setup = await bridge.printer.setup()
    if (!setup.ok) {
      this.#fail(setup.error)
      return
    }
    const { printers, routes } = setup.value
    const isLabels = ({ paper, size }: (typeof routes)[number]): boolean =>
      paper === 'return_label' && size === 'label'
    const current = routes.find(isLabels)?.printerId ?? printers[0]?.id
    const waitedMs = question?.printer === printer.name ? this.#nowMs() - question.sinceMs : Infinity
    if (current === printer.name) this.#desk.say({ kind: 'printer_is', printer: title })
    else if (waitedMs < repeatedReadMs) this.#ask(printer, question?.sinceMs ?? this.#nowMs())
    else if (waitedMs > latestMs) this.#ask(printer, this.#nowMs())
    else {
      const route = { paper: 'return_label', size: 'label', printerId: printer.name } as const
      const others = routes.filter((one) => !isLabels(one))
      const saved = await bridge.printer.save({ printers, routes: [...others, route] })
      if (saved.ok) this.#desk.say({ kind: 'printer_now', printer: title })
      else this.#fail(saved.error)
    }
  }

  #ask(printer: PrinterView, sinceMs: number): void {
    this.#question = { printer: printer.name, sinceMs }
    this.#desk.say({ kind: 'printer_ask', printer: titleOf(printer) })
  }

  #fail(failure: Failure): void {
    this.#desk.say({ kind: 'failed', failure })
  }
}

function titleOf({ title, folder }: PrinterView): string {
  return printerName(title, folder !== null)
}
