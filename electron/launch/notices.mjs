import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Stop } from './report.mjs'
import { root } from './run.mjs'

/** The file with the licence texts of other packages, which electron-builder.yml adds to the app. */
const noticesFile = join(root, 'out/THIRD-PARTY.txt')

/**
 * Development packages whose code or files are part of the window. They are bundled, or they write code into the
 * messages (paraglide-js).
 */
const bundled = [
  '@fontsource/atkinson-hyperlegible-mono',
  '@fontsource/atkinson-hyperlegible-next',
  '@inlang/paraglide-js',
  '@lucide/svelte',
  'clsx',
  'esm-env',
  'svelte',
]

const licenceFile = /^(?:licen[cs]e|copying|notice|ofl|unlicense)/i

/**
 * Packages that name a licence and its owner but do not contain the text of the licence. A new package without the text
 * is an error until a developer has added it here.
 */
const withoutText = {
  'abstract-logging': () => mit('James Sumners'),
  'dank-do-while': () => mit('2014 Dan VerWeire'),
  'pg-types': () => mit('2014 Brian M. Carlson'),
  pgpass: () => mit('2013-2016 Hannes Hörl'),
  'write-file-queue': () => mit('Dan VerWeire'),
}

/** Third-party code that is compiled into packages without its licence text. */
const contained = [
  {
    name: 'PDFium, and the libraries in it',
    within: '@hyzyla/pdfium',
    text: () =>
      `${bsd3('2014 The PDFium Authors', 'Google LLC')}\n\nParts are licensed under the Apache License 2.0, see below. The libraries in PDFium (Abseil, Anti-Grain Geometry,\nFreeType, ICU, libjpeg-turbo, Little CMS, OpenJPEG, zlib) are parts of Chromium too: LICENSES.chromium.html has their\nlicences.`,
  },
  {
    name: 'ZXing-C++',
    within: 'zxing-wasm',
    text: () => 'Copyright the ZXing-C++ authors. Licensed under the Apache License 2.0, see below.',
  },
  { name: 'Zint', within: 'zxing-wasm', text: () => bsd3('2008-2025 Robin Stuart and others') },
  { name: 'SQLite', within: 'better-sqlite3', text: () => 'SQLite is in the public domain.' },
]

/**
 * `npm run package`: writes the licences of all packages in the app into one file. Stops if a licence text is missing,
 * so that every installer contains all licences.
 */
export function writeNotices() {
  const parts = [introduction, ...shippedPackages().map(noticeOf), ...contained.map(noticeOfPart), apache()]
  mkdirSync(dirname(noticesFile), { recursive: true })
  writeFileSync(noticesFile, `${parts.join(`\n\n${'-'.repeat(100)}\n\n`)}\n`)
  return noticesFile
}

const introduction = `Third-party software in Scandesk

Scandesk runs on Electron and Chromium: LICENSE.electron.txt and LICENSES.chromium.html beside the program. It contains the
packages below.`

/**
 * Returns the folders of every package whose code or files are in the app, sorted: production packages and bundled
 * development packages.
 */
export function shippedPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  // leaves out optional packages: they contain the Node that npm installs for development, and electron-builder.yml
  // excludes this Node from the app
  const production = Object.keys(packages).filter((folder) => {
    return folder !== '' && !packages[folder].dev && !packages[folder].optional
  })
  return [...production, ...bundled.map((name) => `node_modules/${name}`)].toSorted()
}

function noticeOf(folder) {
  const full = join(root, folder)
  const file = join(full, 'package.json')
  if (!existsSync(file)) throw new Stop(`${folder} is not installed; delete node_modules and try again`)
  const { name, version, license, homepage } = JSON.parse(readFileSync(file, 'utf8'))
  const files = readdirSync(full, { withFileTypes: true })
    .filter((one) => one.isFile() && licenceFile.test(one.name))
    .map((one) => readFileSync(join(full, one.name), 'utf8').trim())
  const texts = files.length > 0 ? files : [withoutText[name]?.()]
  if (texts.includes(undefined))
    throw new Stop(
      `${name} ${version} (${license}) has no licence text. Find it and add it to electron/launch/notices.mjs.`,
    )
  const heading = [`${name} ${version}`, license, homepage].filter((part) => typeof part === 'string')
  return `${heading.join(' · ')}\n\n${texts.join('\n\n')}`
}

function noticeOfPart({ name, within, text }) {
  return `${name} (compiled into ${within})\n\n${text()}`
}

function apache() {
  return readFileSync(join(root, 'resources/licences/Apache-2.0.txt'), 'utf8').trim()
}

function mit(owner) {
  return `The MIT License

Copyright (c) ${owner}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
}

function bsd3(owner, holder = 'the copyright holder') {
  return `BSD 3-Clause License

Copyright (c) ${owner}

Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following
conditions are met:

1. Redistributions of source code must retain the above copyright notice, this list of conditions and the following
   disclaimer.
2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following
   disclaimer in the documentation and/or other materials provided with the distribution.
3. Neither the name of ${holder} nor the names of its contributors may be used to endorse or promote products
   derived from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES,
INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL,
EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF
USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT
LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED
OF THE POSSIBILITY OF SUCH DAMAGE.`
}
