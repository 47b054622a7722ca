const { contextBridge, ipcRenderer } = require('electron')

const earlyFrame = ipcRenderer.invoke('frame')

contextBridge.executeInMainWorld({
  func: (name, value) => {
    Reflect.set(globalThis, name, value)
    Reflect.deleteProperty(globalThis, 'RTCPeerConnection')
  },
  args: ['ranEarly', [1, 'two']],
})

contextBridge.exposeInMainWorld('probe', {
  version: process.versions.electron,
  canRequireNode: (() => {
    try {
      require('node:fs')
      return true
    } catch {
      return false
    }
  })(),
  earlyFrame: () => earlyFrame,
  invoke: (channel, value) => ipcRenderer.invoke(channel, value),
  add: (a, b) => a + b,
  twice: (call) => call(call(1)),
  pong: (listener) => {
    ipcRenderer.once('pong', (_event, ...values) => listener(...values))
    ipcRenderer.send('ping', new Uint8Array([1, 2]))
  },
})
