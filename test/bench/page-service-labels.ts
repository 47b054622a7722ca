import type { IncomingMessage, ServerResponse } from 'node:http'
import { returnLabelCreate } from '#shared/wire/return-label.ts'
import { plainLabel } from '#support/plain-label.ts'
import { changeScripted, createScripted, found, type Reply } from '#support/scripted-labels.ts'
import type { ScriptedLabel } from '#support/scripted-records.ts'

const documentPath = '/file.pdf'

/** Whether `LabelDesk` handles calls of this path. */
export function isAboutLabels(path: string): boolean {
  return path === documentPath || path.startsWith('/wms/return-labels/')
}

/** Serves the creation, the request and the document of return labels, in place of the middleware. */
export class LabelDesk {
  readonly #labels: ScriptedLabel[] = []

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname
    if (path === documentPath) {
      response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': plainLabel.length })
      response.end(plainLabel)
      return
    }
    const text = Buffer.concat(pieces).toString()
    const { status, body } = this.#reply(request, path, text === '' ? null : JSON.parse(text))
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }

  #reply({ method = 'GET', headers }: IncomingMessage, path: string, body: unknown): Reply {
    if (path === '/wms/return-labels/') {
      if (method !== 'POST') return { status: 200, body: this.#labels.map(({ wire }) => wire).reverse() }
      return createScripted({ labels: this.#labels, shipments: [] }, returnLabelCreate.parse(body))
    }
    const label = this.#labels.find(({ wire }) => path.includes(wire.id))
    const documentUrl = `http://${headers.host ?? ''}${documentPath}`
    return label ? changeScripted(label, { method, path, body, documentUrl }) : found(undefined)
  }
}
