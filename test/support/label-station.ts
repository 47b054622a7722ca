import { z } from 'zod'
import { returnLabel, type ReturnLabel } from '#shared/wire/return-label.ts'
import type { Shipment } from '#shared/wire/shipment.ts'
import { MeddledMiddleware } from './meddled-middleware.ts'
import { connect, type ServiceClient } from './service-client.ts'
import { logIn, type OpenDesk, setUpStation } from './set-up-station.ts'

/** A desk at its own middleware, and a second client of that middleware for checks. */
export class LabelStation {
  readonly server: MeddledMiddleware
  readonly service: ServiceClient
  readonly #shipments: Shipment[]
  /** The writes on return labels since the call of `listen`: method and last path segment, such as `POST request`. */
  calls: readonly string[] = []

  /** Connects the desk to the middleware and logs in as the first user of the middleware. */
  static async start(desk: OpenDesk): Promise<LabelStation> {
    const server = await MeddledMiddleware.start()
    const service = await connect(server.truth)
    const recent = await service.shipments(200)
    const orders = Map.groupBy(recent, (shipment) => shipment.order_external_reference)
    const alone = recent.filter((shipment) => orders.get(shipment.order_external_reference)?.length === 1)
    await setUpStation(desk, server.invitation, 'Returns 2')
    const { username, password } = server.invitation
    const { page } = desk
    await logIn(page, username, password ?? '')
    await page.locator('[data-catalogue="ready"]').waitFor()
    return new LabelStation(server, service, alone)
  }

  private constructor(server: MeddledMiddleware, service: ServiceClient, shipments: Shipment[]) {
    this.server = server
    this.service = service
    this.#shipments = shipments
  }

  /** Clears `calls`, and records each later write of a return label in it. Every call is forwarded. */
  listen(): void {
    this.calls = []
    this.server.meddle = (method, path) => {
      if (method !== 'GET' && path.includes('return-labels'))
        this.calls = [...this.calls, `${method} ${path.split('/').at(-1) ?? ''}`]
      return null
    }
  }

  /** Returns an unused shipment that is the only one of its order. */
  untouched(): Shipment {
    const found = this.#shipments.shift()
    if (!found) throw new Error('the demo has too few shipments for this file')
    return found
  }

  /** Returns the only label of a shipment at the service. Throws unless there is exactly one. */
  async labelOf(shipment: Shipment): Promise<ReturnLabel> {
    const [label, ...others] = await this.service.returnLabelsOf(shipment.id)
    if (!label || others.length > 0) throw new Error(`${String(others.length)} labels beside one`)
    return label
  }

  /** Returns the label with this reference at the service, or null. */
  async labelNamed(reference: string): Promise<ReturnLabel | null> {
    const labels = await this.service.read('/wms/return-labels/?limit=1000', z.array(returnLabel))
    return labels.find(({ external_reference }) => external_reference === reference) ?? null
  }

  /** Makes and requests a label as another client. */
  async makeElsewhere(shipment: Shipment): Promise<ReturnLabel> {
    const { id } = await this.service.post('/wms/return-labels/', { shipment_id: shipment.id })
    return this.service.post(`/wms/return-labels/${id}/request`)
  }
}

export function trackingCode(label: ReturnLabel | null): string {
  return label?.tracking_information[0]?.tracking_code ?? ''
}
