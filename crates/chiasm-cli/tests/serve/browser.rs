//! A real Chromium, driven over WebDriver.

use crate::client::Client;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longer than a busy machine needs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Chromium with one window.
pub struct Browser {
    driver: Child,
    address: SocketAddr,
    session: String,
    _profile: tempfile::TempDir,
}

/// The first of these programs that there is.
fn program(variable: &str, paths: &[&str]) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    let usual = paths.iter().map(PathBuf::from);
    named.into_iter().chain(usual).find(|path| path.exists())
}

impl Browser {
    /// Starts Chromium; none where it is not installed.
    pub fn start() -> Option<Self> {
        let chromium = program(
            "CHROMIUM",
            &[
                "/usr/bin/chromium",
                "/usr/bin/chromium-browser",
                "/usr/bin/google-chrome",
            ],
        )?;
        let driver = program(
            "CHROMEDRIVER",
            &["/usr/bin/chromedriver", "/usr/lib/chromium/chromedriver"],
        )?;
        let mut driver = Command::new(driver)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let said = BufReader::new(driver.stdout.take().unwrap());
        let port = said.lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Browser {
            driver,
            address: SocketAddr::from(([127, 0, 0, 1], port.expect("chromedriver names its port"))),
            session: String::new(),
            _profile: profile,
        };
        let folder = format!("--user-data-dir={}", browser._profile.path().display());
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--force-device-scale-factor=1",
            "--window-size=1280,1000",
            &folder,
        ];
        let options = json!({ "binary": chromium, "args": arguments });
        let capabilities =
            json!({ "goog:chromeOptions": options, "goog:loggingPrefs": { "browser": "ALL" } });
        let body = json!({ "capabilities": { "alwaysMatch": capabilities } });
        let made = browser.ask("POST", "/session", &body);
        browser.session = made["sessionId"].as_str().unwrap().to_string();
        Some(browser)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let found = self.ask_for_existing(method, path, body);
        found.unwrap_or_else(|| panic!("{method} {path}: the element is gone"))
    }

    /// None if the element was drawn anew, or moved away from under a click, since it was found.
    fn ask_for_existing(&self, method: &str, path: &str, body: &Value) -> Option<Value> {
        let text = if method == "GET" {
            String::new()
        } else {
            body.to_string()
        };
        let mut client = Client::connect(self.address);
        let answer = client.request(method, path, "application/json", text.as_bytes());
        let moved = ["stale element reference", "element click intercepted"];
        if moved.iter().any(|error| answer.body.contains(error)) {
            return None;
        }
        assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
        Some(answer.json()["value"].clone())
    }

    fn command(&self, name: &str, body: &Value) -> Value {
        self.ask("POST", &format!("/session/{}/{name}", self.session), body)
    }

    pub fn open(&self, url: &str) {
        self.command("url", &json!({ "url": url }));
    }

    /// The value of a function's body.
    pub fn run(&self, script: &str) -> Value {
        self.command("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Waits until an expression is true.
    pub fn wait(&self, what: &str, expression: &str) {
        let start = Instant::now();
        while self.run(&format!("return Boolean({expression})")) != json!(true) {
            if start.elapsed() > PATIENCE {
                self.screenshot("failed");
                let page = self.run("return document.body.innerText");
                panic!("{what}: {page}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn find(&self, selector: &str) -> String {
        let found = self.command(
            "element",
            &json!({ "using": "css selector", "value": selector }),
        );
        let id = found
            .as_object()
            .and_then(|found| found.values().next()?.as_str());
        id.unwrap_or_else(|| panic!("{selector}: {found}"))
            .to_string()
    }

    pub fn click(&self, selector: &str) {
        // On a busy machine the page may draw it anew between the two commands.
        for _ in 0..20 {
            let element = self.find(selector);
            let path = format!("/session/{}/element/{element}/click", self.session);
            if self.ask_for_existing("POST", &path, &json!({})).is_some() {
                return;
            }
        }
        panic!("{selector}: drawn anew again and again");
    }

    /// Types as on a keyboard, after clearing.
    pub fn fill(&self, selector: &str, text: &str) {
        let element = self.find(selector);
        self.command(&format!("element/{element}/clear"), &json!({}));
        self.command(
            &format!("element/{element}/value"),
            &json!({ "text": text }),
        );
    }

    /// Chooses a file on the disk.
    pub fn upload(&self, selector: &str, path: &Path) {
        let element = self.find(selector);
        let text = json!({ "text": path.to_str().unwrap() });
        self.command(&format!("element/{element}/value"), &text);
    }

    pub fn press(&self, key: &str) {
        let keys = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        let actions = json!([{ "type": "key", "id": "keyboard", "actions": keys }]);
        self.command("actions", &json!({ "actions": actions }));
    }

    /// Moves the pointer over an element, without a click.
    pub fn hover(&self, selector: &str) {
        let element = self.find(selector);
        let origin = json!({ "element-6066-11e4-a52e-4f735466cecf": element });
        let step =
            json!({ "type": "pointerMove", "duration": 0, "origin": origin, "x": 0, "y": 0 });
        let actions = json!([{ "type": "pointer", "id": "mouse", "actions": [step] }]);
        self.command("actions", &json!({ "actions": actions }));
    }

    /// Chooses an option of a list.
    pub fn choose(&self, id: &str, value: &str) {
        self.click(&format!("#{id} option[value='{value}']"));
    }

    /// Makes the window as wide and high as a telephone's, or as it was.
    pub fn narrow(&self, narrow: bool) {
        let body = match narrow {
            true => {
                let params =
                    json!({ "width": 420, "height": 900, "deviceScaleFactor": 1, "mobile": false });
                json!({ "cmd": "Emulation.setDeviceMetricsOverride", "params": params })
            }
            false => json!({ "cmd": "Emulation.clearDeviceMetricsOverride", "params": {} }),
        };
        self.command("goog/cdp/execute", &body);
    }

    pub fn prefer(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        let body =
            json!({ "cmd": "Emulation.setEmulatedMedia", "params": { "features": features } });
        self.command("goog/cdp/execute", &body);
    }

    /// Leaves a picture of the whole page in `target/`.
    pub fn screenshot(&self, name: &str) {
        let params = json!({ "format": "png", "captureBeyondViewport": true });
        let body = json!({ "cmd": "Page.captureScreenshot", "params": params });
        let image = self.command("goog/cdp/execute", &body)["data"].clone();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("screenshots");
        std::fs::create_dir_all(&folder).unwrap();
        let bytes = decode_base64(image.as_str().unwrap());
        assert!(bytes.starts_with(b"\x89PNG"));
        std::fs::write(folder.join(format!("{name}.png")), bytes).unwrap();
    }

    /// What the page complained about: script errors, breaches of its policy.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.command("se/log", &json!({ "type": "browser" }));
        let entries = log.as_array().unwrap().iter();
        let severe = entries.filter(|entry| entry["level"] == "SEVERE");
        severe.map(|entry| entry["message"].to_string()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Closing the session ends the browser, also after a failure; a second failure is no news.
        if !self.session.is_empty() {
            let path = format!("/session/{}", self.session);
            let close = AssertUnwindSafe(|| self.ask("DELETE", &path, &json!({})));
            let _ = catch_unwind(close);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn decode_base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0, 0_u32);
    for six in text.bytes().filter_map(value) {
        held = held << 6 | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    bytes
}
