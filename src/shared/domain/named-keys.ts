import { commandKey } from './named-commands.ts'

/** A shipping method is itself, whatever it is called. */
export function methodKey({ id }: { readonly id: string }): string {
  return commandKey(id)
}

/** Also of what operators call it: a sheet printed before the printer was renamed selects nothing. */
export function printerKey({ name, title }: { readonly name: string; readonly title: string }): string {
  return commandKey(name, title)
}

/** Of whose work is done where, and not of this computer: one sheet serves all desks of a customer. */
export function stationKey(station: {
  readonly baseUrl: string
  readonly wmsCode: string
  readonly customerCode: string
}): string {
  return commandKey(station.baseUrl, station.wmsCode, station.customerCode)
}
