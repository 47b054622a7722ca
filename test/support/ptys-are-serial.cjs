/**
 * Loaded into a desk before the app (`-r`): its kernel lists pseudo-terminals as serial ports. The product opens serial
 * ports alone, and no test has one.
 */
const fs = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')

const { readFileSync } = fs
fs.readFileSync = (path, options) => {
  if (path !== '/proc/tty/drivers') return readFileSync(path, options)
  return 'pty_slave /dev/pts 136 0-1048575 serial\n'
}
syncBuiltinESMExports()
