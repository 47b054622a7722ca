import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sandbox } from '#shared/domain/sandbox.ts'
import { tokens } from '#shared/wire/auth.ts'
import { returnLabel, type ReturnLabel } from '#shared/wire/return-label.ts'
import { shipment, type Shipment } from '#shared/wire/shipment.ts'
import { z } from 'zod'

/** A second client of the middleware, which checks the effects of the desk. */
export interface ServiceClient {
  readonly url: string
  /** Returns the newest shipments with labels, lines and address. */
  shipments(limit?: number): Promise<Shipment[]>
  returnLabelsOf(shipmentId: string): Promise<ReturnLabel[]>
  /** Reads any path. `expand` is the value of the header. Throws if the response does not match the schema. */
  read<T>(path: string, schema: z.ZodType<T>, expand?: string): Promise<T>
  /** Sends a write on return labels. Throws if the service refuses it. */
  post(path: string, body?: unknown): Promise<ReturnLabel>
}

/** Logs in at a middleware with demo data. */
export async function connect(url: string, customer: string = sandbox.customerCode): Promise<ServiceClient> {
  const codes = { 'X-Wms-Code': sandbox.wmsCode, 'X-Customer-Code': customer }
  const login = await fetch(`${url}/wms/auth/login/`, {
    method: 'POST',
    headers: { ...codes, 'content-type': 'application/json' },
    body: JSON.stringify({ username: sandbox.username, password: sandbox.password }),
  })
  const { token } = tokens.parse(await login.json())
  const read = async <T>(path: string, schema: z.ZodType<T>, expand = ''): Promise<T> => {
    const answer = await fetch(url + path, {
      headers: { ...codes, Authorization: `Bearer ${token}`, Expand: expand },
    })
    return schema.parse(await answer.json())
  }
  const post = async (path: string, body?: unknown): Promise<ReturnLabel> => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { ...codes, Authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? '' : JSON.stringify(body),
    })
    return returnLabel.parse(await answer.json())
  }
  return {
    url,
    read,
    post,
    shipments: (limit = 50) =>
      read(
        `/wms/shipments/?sort=createdAt&direction=desc&limit=${limit}`,
        z.array(shipment),
        'shipment_labels,shipment_lines,shipping_address,shipping_method,variant',
      ),
    returnLabelsOf: async (shipmentId) => {
      const labels = await read('/wms/return-labels/?limit=1000', z.array(returnLabel), 'shipment')
      return labels.filter((label) => label.shipment?.id === shipmentId)
    },
  }
}

/** Connects to the embedded middleware of the desk whose data is in `dataDir`. */
export function connectEmbedded(dataDir: string): Promise<ServiceClient> {
  const settings = z.object({ sandboxPort: z.number() })
  const { sandboxPort } = settings.parse(JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8')))
  return connect(`http://127.0.0.1:${sandboxPort}`)
}
