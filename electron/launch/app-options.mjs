import { writeArguments } from './arguments.mjs'

/** Options of the desk (electron/main/command-line.ts, src/shared/bridge/pc-settings.ts). */
const deskValues = ['data-dir', 'lang', 'log-level', 'server', 'provision', 'screenshot']

/**
 * Options of Electron and Chromium that a developer may need. The desk itself reads some of them
 * (electron/main/page-network.ts).
 */
const engineValues = [
  'proxy-server',
  'proxy-bypass-list',
  'proxy-pac-url',
  'log-net-log',
  'remote-debugging-port',
]
const engineFlags = ['no-proxy-server', 'proxy-auto-detect', 'inspect', 'inspect-brk', 'no-sandbox']

/** The options of `npm start` and `npm run dev`. */
export const appOptions = { values: [...deskValues, ...engineValues], flags: engineFlags }

/**
 * Returns Electron's command line for the app in `folder`. Options of Electron must come before the folder. If the
 * process runs as root, adds `--no-sandbox`, because Chromium then needs it.
 */
export function electronArguments(folder, options, { isRoot }) {
  const given = isRoot ? { ...options, 'no-sandbox': true } : options
  const isOfDesk = ([name]) => deskValues.includes(name)
  const part = (keep) => writeArguments(Object.fromEntries(Object.entries(given).filter(keep)))
  return [...part((option) => !isOfDesk(option)), folder, ...part(isOfDesk)]
}
