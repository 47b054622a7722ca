import { useInert } from './inert.ts'

/** Everything that the app tried to open on the desktop, in order. Nothing is opened. */
export const opened: string[] = []

export const shell = {
  openExternal: (url: string): Promise<void> => {
    opened.push(url)
    return Promise.resolve()
  },
  /** Returns '', as Electron does on success. */
  openPath: (path: string): Promise<string> => {
    opened.push(path)
    return Promise.resolve('')
  },
  showItemInFolder: (path: string): void => void opened.push(path),
  beep: (): void => useInert('shell.beep'),
  trashItem: (): Promise<void> => {
    useInert('shell.trashItem')
    return Promise.resolve()
  },
}
