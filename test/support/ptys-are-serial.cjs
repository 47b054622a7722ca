/**
 * Loaded into a desk before the app (`-r`): lists pseudo-terminals as serial ports of the kernel. The product opens
 * only serial ports, and a test machine has no serial port.
 */
const fs = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')

const { readFileSync } = fs
fs.readFileSync = (path, options) => {
  if (path !== '/proc/tty/drivers') return readFileSync(path, options)
  return 'pty_slave /dev/pts 136 0-1048575 serial\n'
}
syncBuiltinESMExports()
