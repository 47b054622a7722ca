import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { say, Stop } from './report.mjs'
import { projectNode, root, run } from './run.mjs'

/** Matches the errors of electron-builder for a server that cannot be reached or does not have the file. */
const unreachable =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|CERT_|self.signed|RequestError|HTTPError|TimeoutError/

/**
 * `npm run package`: builds the installer with electron-builder, which gets `args`, and shows its output. After a
 * failure, stops with the lines from the cause on. After a failed download, or if package.json names no home page for a
 * .deb, stops with an explanation instead.
 */
export async function packageApp(args) {
  let rest = ''
  let failure = ''
  const show = (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (failure !== '' || line.trimStart().startsWith('⨯')) failure += `${line}\n`
      else say(line)
    }
  }
  const { code, output } = await run(
    projectNode(),
    ['--disable-warning=ExperimentalWarning', join(root, 'node_modules/electron-builder/cli.js'), ...args],
    { quiet: true, onOutput: show },
  )
  show('\n')
  if (code === 0) return
  if (failure.includes('specify project homepage')) throw new Stop(noHomepage, code)
  throw new Stop(unreachable.test(failure) ? explainDownload(output, failure) : failure.trimEnd(), code)
}

const noHomepage = `A .deb must name the project's home page, and package.json has none. No installer was built. Name it, or build an archive:
  npm run package -- --linux deb -c.extraMetadata.homepage=https://www.example.com
  npm run package -- --linux tar.gz`

/** Returns the message for a failed download: the missing file, the cause, and what the developer can do. */
export function explainDownload(output, failure) {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/electron/package.json'), 'utf8'))
  const [first = ''] = failure.replace(/^\s*⨯\s*/, '').split('\n')
  const why = first.replace(/\s+failedTask=.*$/, '').trim()
  // electron-builder builds the installers after it has unpacked Electron, so Electron was downloaded if the build of
  // an installer has begun
  const hasElectron = /building\s+target=/.test(output)
  const what = hasElectron ? 'The tools that build the installer' : `Electron ${version}`
  const zip = `electron-v${version}-${process.platform}-${process.arch}.zip`
  const ways = hasElectron
    ? [
        'a mirror of https://github.com/electron-userland/electron-builder-binaries/releases/download/:',
        '  ELECTRON_BUILDER_BINARIES_MIRROR=https://mirror.example.com/electron-builder-binaries/ npm run package',
        'without an installer, the unpacked app only:',
        '  npm run package -- --dir',
      ]
    : [
        `a mirror with v${version}/${zip} and v${version}/SHASUMS256.txt:`,
        '  ELECTRON_MIRROR=https://mirror.example.com/electron/ npm run package',
        `the file itself, downloaded on another machine from https://github.com/electron/electron/releases/tag/v${version}:`,
        `  npm run package -- -c.electronDist=/path/to/${zip}`,
      ]
  return [`${what} could not be downloaded (${why}). No installer was built. Use one of these ways:`, ...ways]
    .map((line, at) => (at === 0 ? line : `  ${line}`))
    .join('\n')
}
