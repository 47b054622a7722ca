import { browser } from './browser.ts'
import { debug } from './environment.ts'

type Answer = (granted: boolean) => void
export type RequestHandler = (
  contents: unknown,
  permission: string,
  callback: Answer,
  details: object,
) => void
export type CheckHandler = (contents: unknown, permission: string, origin: string, details: object) => boolean

interface Descriptor {
  name: string
  sysex?: boolean
  allowWithoutGesture?: boolean
}

const named = (...names: string[]): Descriptor[] => names.map((name) => ({ name }))

/**
 * Electron's permission names with Chromium's descriptors. The other permissions (hid, usb, serial, …) have no
 * descriptor.
 */
const descriptors: Readonly<Record<string, readonly Descriptor[]>> = {
  geolocation: named('geolocation'),
  notifications: named('notifications'),
  media: named('camera', 'microphone'),
  midi: named('midi'),
  midiSysex: [{ name: 'midi', sysex: true }],
  'clipboard-read': named('clipboard-read'),
  'clipboard-sanitized-write': named('clipboard-write'),
  'display-capture': named('display-capture'),
  'idle-detection': named('idle-detection'),
  'background-sync': named('background-sync'),
  'background-fetch': named('background-fetch'),
  'periodic-background-sync': named('periodic-background-sync'),
  'persistent-storage': named('persistent-storage'),
  'screen-wake-lock': named('screen-wake-lock'),
  'system-wake-lock': named('system-wake-lock'),
  'storage-access': named('storage-access'),
  'window-management': named('window-management'),
  'local-fonts': named('local-fonts'),
  'local-network-access': named('local-network-access'),
  'payment-handler': named('payment-handler'),
  nfc: named('nfc'),
  sensors: named('accelerometer', 'gyroscope', 'magnetometer', 'ambient-light-sensor'),
  keyboardLock: named('keyboard-lock'),
  pointerLock: named('pointer-lock'),
  'speaker-selection': named('speaker-selection'),
  'captured-surface-control': named('captured-surface-control'),
}

/**
 * Applies one session's permission handlers to Chromium. Chromium does not ask over DevTools, but receives each
 * permission's state for an origin before a document of that origin loads. So all handlers are called in advance, and a
 * permission is granted if every handler grants it (Electron: without handlers everything is granted).
 */
export class Permissions {
  #onRequest: RequestHandler | null = null
  #onCheck: CheckHandler | null = null
  readonly #applied = new Map<string, string>()

  setRequestHandler(handler: RequestHandler | null): void {
    this.#onRequest = handler
    this.#applied.clear()
  }

  setCheckHandler(handler: CheckHandler | null): void {
    this.#onCheck = handler
    this.#applied.clear()
  }

  /**
   * Tells Chromium, before a document loads, which permissions the app's permission handlers grant to the document.
   * @param url - the address of the document as the app sees it.
   * @param browserContextId - the context of Chromium in which the document loads.
   */
  async apply(contents: unknown, url: string, pageUrl: string, browserContextId: string): Promise<void> {
    const pageOrigin = new URL(pageUrl).origin
    const place = `${browserContextId} ${pageOrigin}`
    if (this.#applied.get(place) === url) return
    this.#applied.set(place, url)
    const answers = Object.entries(descriptors).map(async ([permission, known]) => {
      const setting = (await this.#decide(contents, permission, url)) ? 'granted' : 'denied'
      for (const descriptor of known) {
        const where = pageOrigin === 'null' ? {} : { origin: pageOrigin }
        await browser.root
          .send('Browser.setPermission', { permission: descriptor, setting, browserContextId, ...where })
          .catch((error: unknown) => debug('permission', permission, error))
      }
    })
    await Promise.all(answers)
  }

  async #decide(contents: unknown, permission: string, url: string): Promise<boolean> {
    const origin =
      new URL(url).origin === 'null' ? `${url.split('/', 3).join('/')}/` : `${new URL(url).origin}/`
    const common = {
      isMainFrame: true,
      requestingUrl: url,
      securityOrigin: origin,
      mediaTypes: ['video', 'audio'],
    }
    if (this.#onCheck?.(contents, permission, origin, common) === false) return false
    const handler = this.#onRequest
    if (!handler) return true
    return new Promise((resolve) => {
      // A handler may ask the user before it responds, and the document does not load until then. So the wait is
      // limited to a second; then the permission is denied.
      const timer = setTimeout(() => resolve(false), 1000)
      handler(
        contents,
        permission,
        (granted) => {
          clearTimeout(timer)
          resolve(granted)
        },
        common,
      )
    })
  }
}
