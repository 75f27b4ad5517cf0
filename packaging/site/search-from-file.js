// SPDX-License-Identifier: GPL-3.0-or-later
// Searching in a site that was opened as files: there a page may neither fetch the index nor start a worker. So the index comes as
// a script, and what would be the worker's runs in a frame.
if (location.protocol === "file:") {
  document.write('<script src="' + document.currentScript.dataset.index + '"><\/script>')

  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.inside = frame.contentWindow
      this.inside.postMessage = data => this.answer(data)
      this.ready = new Promise(resolve => {
        const script = frame.contentDocument.createElement("script")
        script.onload = resolve
        script.src = url
        frame.contentDocument.body.append(script)
      })
    }

    answer(data) {
      this.dispatchEvent(new MessageEvent("message", { data }))
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })))
    }
  }
}
