//! Maces family: under construction.
use super::super::kit::Kit;
use super::super::play::*;
use super::super::rulebook::SpecError;
use serde::{Deserialize, Serialize};

/// Settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {}
/// Rules.
#[derive(Debug)]
pub struct Maces;
/// State.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {}
impl Play for Maces {
    type Spec = Spec;
    type State = State;
    type Step = ();
    fn new(_: &Spec, _: &Kit) -> Result<Self, SpecError> {
        Ok(Maces)
    }
    fn begin(&self, _: &Kit, _: &mut dyn Dice, _: &mut Vec<Happening>) -> State {
        State {}
    }
    fn asks(&self, _: &Kit, _: &State) -> Vec<Ask> {
        vec![]
    }
    fn steps(&self, _: &Kit, _: &State, _: Seat, _: &mut Vec<()>) {}
    fn may_stop(&self, _: &Kit, _: &State, _: Seat) -> bool {
        true
    }
    fn step(
        &self,
        _: &Kit,
        _: &mut State,
        _: Seat,
        _: &(),
        _: &mut dyn Dice,
        _: &mut Vec<Happening>,
    ) {
    }
    fn stop(&self, _: &Kit, _: &mut State, _: Seat, _: &mut dyn Dice, _: &mut Vec<Happening>) {}
    fn ending(&self, _: &Kit, _: &State) -> Option<Ending> {
        None
    }
    fn say(&self, _: &Kit, _: &State, _: &()) -> String {
        String::new()
    }
    fn view(&self, k: &Kit, _: &State, _: Option<Seat>) -> View {
        View {
            files: k.files,
            ranks: k.ranks,
            cells: vec![],
            last: vec![],
            to_move: vec![],
            notes: vec![],
            four: false,
        }
    }
    fn turn_no(&self, _: &State) -> u32 {
        1
    }
}
