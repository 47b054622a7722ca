import { toAppUrl } from './protocol.ts'

interface FrameOwner {
  send(channel: string, ...args: unknown[]): void
  executeJavaScript(code: string): Promise<unknown>
  isDestroyed(): boolean
}

/** The top frame of a window. In the stand-in for Electron, only this frame has the preload script and IPC. */
export class WebFrameMain {
  readonly routingId = 1
  readonly processId = 1
  readonly name = ''
  readonly parent = null
  readonly frames: readonly WebFrameMain[] = []
  readonly detached = false
  readonly #owner: FrameOwner
  #url = ''

  constructor(owner: FrameOwner) {
    this.#owner = owner
  }

  /** The address of the frame in the app's form: app://host/path. */
  get url(): string {
    return this.#url
  }

  /** Returns scheme://host, also for the app's own schemes, for which the URL standard defines an opaque origin. */
  get origin(): string {
    const match = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)/i.exec(this.#url)
    return match?.[1] ?? 'null'
  }

  get top(): this {
    return this
  }

  get framesInSubtree(): WebFrameMain[] {
    return [this]
  }

  /** @param pageUrl - Chromium's form of the address. */
  moveTo(pageUrl: string): void {
    this.#url = toAppUrl(pageUrl)
  }

  isDestroyed(): boolean {
    return this.#owner.isDestroyed()
  }

  send(channel: string, ...args: unknown[]): void {
    this.#owner.send(channel, ...args)
  }

  executeJavaScript(code: string): Promise<unknown> {
    return this.#owner.executeJavaScript(code)
  }
}
