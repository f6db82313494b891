//! `chiasm serve` as clients and people meet it: the interface, clients that mean harm, and the page
//! in a real browser.

mod abuse;
mod api;
mod browser;
mod client;
#[path = "../common/mod.rs"]
mod common;
mod fixture;
mod guard;
mod memory;
mod page;
mod workbench;
