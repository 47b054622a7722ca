import type { ServiceContext } from '../context.ts'
import type { Unit } from '../unit.ts'
import {
  deleteArticle,
  deleteVariant,
  acceptTransfer,
  approveModification,
  beginTransfer,
  correctStock,
  denyTransfer,
  disapproveModification,
  moveLot,
  nameLocation,
  noteChangedLocations,
} from './stock.ts'
import { arrive, controlQuality, moveInbound, receive } from './inbounds.ts'
import { moveOrder, shipOrder, trackShipment } from './orders.ts'
import type { WarehousePort } from './port.ts'

/**
 * Runs `work`, the work of a command, in one transaction. An implementation of this type may add its own writes to this
 * transaction.
 */
export type RunUnit = <Result>(work: (unit: Unit) => Promise<Result>) => Promise<Result>

/**
 * Creates the port: the interface with all commands of a warehouse, which serves all customers. `run` executes a
 * command in a transaction (`transact`), to which it can add its own writes.
 */
export function createWarehousePort(context: ServiceContext, run: RunUnit): WarehousePort {
  const { eventBody } = context
  return {
    moveOrder: (id, to) => run((unit) => moveOrder(unit, id, to)),
    shipOrder: (id, shipment) => run((unit) => shipOrder(unit, id, shipment)),
    trackShipment: (id, labels) => run((unit) => trackShipment(unit, id, labels)),
    arrive: (inbound) => run((unit) => arrive(unit, inbound)),
    moveInbound: (id, to) => run((unit) => moveInbound(unit, id, to)),
    receive: (id, receipt) => run((unit) => receive(unit, id, receipt)),
    controlQuality: (id, control) => run((unit) => controlQuality(unit, id, control)),
    approveModification: (id) => run((unit) => approveModification(unit, id)),
    disapproveModification: (id) => run((unit) => disapproveModification(unit, id)),
    beginTransfer: (id) => run((unit) => beginTransfer(unit, id)),
    acceptTransfer: (id) => run((unit) => acceptTransfer(unit, id)),
    denyTransfer: (id) => run((unit) => denyTransfer(unit, id)),
    correctStock: (correction) => run((unit) => correctStock(unit, correction)),
    moveLot: (move) => run((unit) => moveLot(unit, move)),
    nameLocation: async (location) => {
      const { id, hasMore } = await run((unit) => nameLocation(unit, location))
      if (hasMore) noteChangedLocations(context)
      return { id }
    },
    deleteArticle: (id) => run((unit) => deleteArticle(unit, eventBody, id)),
    deleteVariant: (id) => run((unit) => deleteVariant(unit, eventBody, id)),
  }
}
