import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, startProgram, waitUntil } from './child-program.ts'
import { answersAt } from './ipp-everywhere.ts'

const run = promisify(execFile)
const scheduler = '/usr/sbin/cupsd'

/** Whether CUPS is installed. Otherwise the tests that need it are skipped with a notice. */
export const canRunCups: boolean = existsSync(scheduler) && existsSync('/usr/sbin/lpadmin')

export type ErrorPolicy = 'abort-job' | 'retry-job' | 'stop-printer'

/** A CUPS server for one test. It listens on loopback and has its queues in a temporary folder. */
export interface PrivateCups {
  readonly uri: string
  /** Adds a driverless queue for a printer. Returns the address of the queue. */
  readonly addQueue: (name: string, printerUri: string, policy?: ErrorPolicy) => Promise<string>
  /** Runs a CUPS command at this server. */
  readonly command: (
    program: 'cupsdisable' | 'cupsenable' | 'cupsreject' | 'cancel',
    ...args: string[]
  ) => Promise<void>
  readonly log: () => string
  /** Kills the server, so that its clients receive no message. */
  readonly kill: () => Promise<void>
  /** Starts the server again at the same address with the same data. */
  readonly comeBack: () => Promise<void>
  readonly close: () => Promise<void>
}

export async function startCups(): Promise<PrivateCups> {
  const folder = await mkdtemp(join(tmpdir(), 'scandesk-cups-'))
  // If the server runs as root, its filters and backends run as another user, who needs access to the folder.
  await chmod(folder, 0o755)
  for (const name of ['etc/ppd', 'etc/ssl', 'spool/tmp', 'cache', 'run/certs', 'log'])
    await mkdir(join(folder, name), { recursive: true })
  const port = await freePort()
  await writeFile(join(folder, 'etc/cups-files.conf'), filesConfiguration(folder))
  await writeFile(join(folder, 'etc/cupsd.conf'), configuration(folder, port))
  const uri = `ipp://127.0.0.1:${String(port)}/`
  const env = { CUPS_SERVER: `127.0.0.1:${String(port)}`, LC_ALL: 'C' }
  const configured = ['-c', join(folder, 'etc/cupsd.conf'), '-s', join(folder, 'etc/cups-files.conf')]
  const start = async (): Promise<ReturnType<typeof startProgram>> => {
    // No message bus is configured, so that no other program is notified of these queues.
    const started = startProgram(scheduler, ['-f', ...configured], {
      DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/dev/null',
    })
    await waitUntil(() => answersAt(uri, started), 'cupsd')
    return started
  }
  let daemon = await start()
  return {
    uri,
    async addQueue(name, printerUri, policy = 'abort-job') {
      const options = ['-m', 'everywhere', '-o', `printer-error-policy=${policy}`]
      await run('/usr/sbin/lpadmin', ['-p', name, '-E', '-v', printerUri, ...options], { env })
      // Waits, because `lpadmin` ends before the queue is ready.
      await waitUntil(() => hasContent(join(folder, `etc/ppd/${name}.ppd`)), `queue ${name}`)
      return `${uri}printers/${name}`
    },
    async command(program, ...args) {
      await run(program, args, { env: { ...env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` } })
    },
    log: () => daemon.log(),
    kill: () => daemon.end('SIGKILL'),
    async comeBack() {
      daemon = await start()
    },
    async close() {
      await daemon.end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function hasContent(file: string): Promise<boolean> {
  return stat(file).then(
    ({ size }) => size > 0,
    () => false,
  )
}

function filesConfiguration(folder: string): string {
  const { username } = userInfo()
  const user = username === 'root' ? 'lp' : username
  return `Sandboxing Relaxed
ServerRoot ${folder}/etc
RequestRoot ${folder}/spool
TempDir ${folder}/spool/tmp
CacheDir ${folder}/cache
StateDir ${folder}/run
ServerBin /usr/lib/cups
DataDir /usr/share/cups
ServerKeychain ${folder}/etc/ssl
AccessLog ${folder}/log/access_log
ErrorLog stderr
PageLog ${folder}/log/page_log
SystemGroup root
User ${user}
Group ${user}
`
}

function configuration(folder: string, port: number): string {
  return `LogLevel debug
MaxLogSize 0
Listen 127.0.0.1:${String(port)}
Listen ${folder}/run/cups.sock
Browsing Off
WebInterface No
DefaultAuthType Basic
DirtyCleanInterval 0
JobRetryInterval 1
JobRetryLimit 3
PreserveJobHistory Yes
PreserveJobFiles No
DefaultPaperSize Letter
<Location />
  Order allow,deny
  Allow 127.0.0.1
</Location>
<Policy default>
  JobPrivateAccess default
  JobPrivateValues default
  # as in Debian: the owner of a job may change it
  <Limit Send-Document Hold-Job Release-Job Restart-Job Cancel-Job Cancel-My-Jobs Close-Job>
    Require user @OWNER @SYSTEM
    Order deny,allow
  </Limit>
  <Limit All>
    Order allow,deny
    Allow 127.0.0.1
  </Limit>
</Policy>
`
}
