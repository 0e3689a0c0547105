"""Propose a WordNet synset for every object name of a scene-graph vocabulary: `objects.toml` is its reviewed output.

    python scripts/make_objects.py NAMES.txt > diptych/scenegraphs/tables/objects.toml

A name takes the first sense that lies under a root of one of its kinds; a name without kinds takes its first sense; a
phrase that WordNet does not know takes the sense of its head. `OVERRIDES` says where all of that is wrong.
"""

import sys
from pathlib import Path

from diptych.kg import Synset, wordnet
from diptych.language import singular
from diptych.scenegraphs.ontology import Ontology, ontology

ROOTS = {
    "animal": "animal.n.01",
    "person": "person.n.01",
    "vehicle": "vehicle.n.01 conveyance.n.03",
    "food": "food.n.01 food.n.02 edible_fruit.n.01 produce.n.01",
    "fruit": "edible_fruit.n.01 berry.n.01",
    "drink": "beverage.n.01",
    "furniture": "furniture.n.01",
    "clothing": "clothing.n.01 footwear.n.01 garment.n.01 covering.n.02",
    "building": "building.n.01 structure.n.01",
    "plant": "plant.n.02",
    "container": "container.n.01 instrumentality.n.03",
    "utensil": "implement.n.01 tableware.n.01",
    "appliance": "appliance.n.02 device.n.01",
    "electronic device": "instrumentality.n.03",
    "body part": "body_part.n.01",
    "sports equipment": "artifact.n.01",
    "toy": "artifact.n.01",
    "room": "room.n.01",
    "sign": "sign.n.02 artifact.n.01",
}

OVERRIDES = {
    "arms": "arm.n.01", "artwork": "artwork.n.01", "ball": "ball.n.01", "baseball": "baseball.n.02", "bat": "bat.n.05",
    "bats": "bat.n.05", "batter": "batter.n.01", "biker": "motorcyclist.n.01", "blind": "blind.n.03", "blinds": "blind.n.03",
    "bow": "bow.n.08", "bowl": "bowl.n.03", "bowls": "bowl.n.03", "bracelet": "bracelet.n.02", "bracelets": "bracelet.n.02",
    "bunny": "rabbit.n.01", "burger": "hamburger.n.01", "burner": "burner.n.02", "cake stand": "stand.n.04",
    "cane": "cane.n.01", "canister": "canister.n.02", "canisters": "canister.n.02", "cards": "card.n.01",
    "carpet": "rug.n.01", "catcher": "catcher.n.01", "cd": "compact_disk.n.01", "cds": "compact_disk.n.01", "chain": "chain.n.05",
    "chains": "chain.n.05", "charger": "charger.n.02", "chicken breast": "chicken.n.01", "church": "church.n.02",
    "clock": "clock.n.01", "clocks": "clock.n.01", "clock hand": "hour_hand.n.01", "cloud": "cloud.n.02", "clouds": "cloud.n.02",
    "coach": "coach.n.02", "coke": "coca_cola.n.01", "collar": "collar.n.01", "comforter": "quilt.n.01", "cone": "cone.n.01",
    "controller": "control.n.09", "controllers": "control.n.09", "cords": "cord.n.01", "counter": "counter.n.01",
    "crane": "crane.n.04", "cream": "cream.n.02", "dish drainer": "rack.n.01", "display": "display.n.03", "drawers": "drawer.n.01",
    "dream catcher": "decoration.n.01", "dryer": "dryer.n.01", "dvd player": "playback.n.02", "dvd players": "playback.n.02",
    "ear buds": "earphone.n.01", "elmo": "puppet.n.01", "end table": "table.n.02", "eyes": "eye.n.01", "fan": "fan.n.01",
    "feeder": "feeder.n.05", "figure": "figure.n.04", "fire hydrant": "fireplug.n.01", "flip flop": "sandal.n.01",
    "flip flops": "sandal.n.01", "foil": "foil.n.01", "football": "football.n.02", "game": "game.n.01",
    "game controller": "control.n.09", "garland": "wreath.n.01", "glass": "glass.n.02", "glasses": "spectacles.n.01",
    "goal": "goal.n.02", "grill": "grill.n.02", "grinder": "grinder.n.04", "hair clip": "clip.n.03", "hands": "hand.n.01",
    "heart": "heart.n.07", "hearts": "heart.n.07", "heels": "shoe.n.01", "heel": "shoe.n.01", "horn": "horn.n.02", "horns": "horn.n.02",
    "hose": "hose.n.03", "hot dog": "hotdog.n.02", "hot dogs": "hotdog.n.02", "icing": "frosting.n.01", "jersey": "jersey.n.03",
    "keyboard": "keyboard.n.01", "kite": "kite.n.03", "kites": "kite.n.03", "legs": "leg.n.01", "letters": "letter.n.02",
    "letter": "letter.n.02", "lid": "lid.n.02", "life preserver": "life_preserver.n.01", "macaroni": "macaroni.n.02",
    "mannequin": "mannequin.n.02", "mannequins": "mannequin.n.02", "marker": "marker.n.03", "match": "match.n.01", "men": "man.n.01",
    "mickey mouse": "toy.n.03", "microwave": "microwave.n.02", "mint": "mint.n.04", "mixer": "mixer.n.04", "mouse": "mouse.n.04",
    "monitor": "monitor.n.04", "monitors": "monitor.n.04", "mound": "mound.n.01", "net": "net.n.05", "nightstand": "table.n.02",
    "nightstands": "table.n.02", "nutella": "spread.n.05", "onion ring": "snack_food.n.01", "ottoman": "ottoman.n.03",
    "outlet": "wall_socket.n.01", "outlets": "wall_socket.n.01", "palm": "palm.n.03", "people": "people.n.01",
    "pepper": "pepper.n.04", "peppers": "pepper.n.04", "picnic table": "table.n.02", "picnic tables": "table.n.02",
    "piercing": "jewelry.n.01", "pikachu": "toy.n.03", "pipe": "pipe.n.02", "pipes": "pipe.n.02", "pitcher": "pitcher.n.02",
    "placemat": "place_mat.n.01", "planter": "pot.n.04", "plant": "plant.n.02", "plants": "plant.n.02", "plate": "plate.n.04",
    "plates": "plate.n.04", "plier": "pliers.n.01", "pot": "pot.n.01", "racket": "racket.n.04", "rackets": "racket.n.04",
    "receipt": "receipt.n.02", "ribs": "rib.n.03", "ring": "ring.n.08", "roll": "bun.n.01", "router": "router.n.02", "saucer": "saucer.n.02",
    "seal": "seal.n.09", "seat": "seat.n.03", "sheet": "sheet.n.03", "sheets": "sheet.n.03", "shoes": "shoe.n.01", "shower": "shower.n.01",
    "side table": "table.n.02", "sign": "signboard.n.01", "smoothie": "smoothie.n.02", "snow shoes": "snowshoe.n.01",
    "soda": "pop.n.02", "speaker": "loudspeaker.n.01", "speakers": "loudspeaker.n.01", "spots": "spot.n.05", "stage": "stage.n.03",
    "station": "station.n.01", "step": "step.n.04", "steps": "step.n.04", "sticker": "gummed_label.n.01", "stickers": "gummed_label.n.01",
    "stir fry": "dish.n.02", "stop sign": "street_sign.n.01", "parking sign": "street_sign.n.01", "traffic sign": "street_sign.n.01",
    "straw": "straw.n.04", "street light": "streetlight.n.01", "street lights": "streetlight.n.01", "stroller": "baby_buggy.n.01",
    "table": "table.n.02", "tables": "table.n.02", "taco": "taco.n.02", "tank top": "tank_top.n.01", "tape": "tape.n.01",
    "taxis": "cab.n.03", "teeth": "tooth.n.01", "tie": "necktie.n.01", "tissue": "tissue.n.02", "tissues": "tissue.n.02",
    "toaster": "toaster.n.02", "topping": "topping.n.01", "touchpad": "pad.n.01", "trailer": "trailer.n.04", "tray": "tray.n.01",
    "trunk": "trunk.n.01", "trunks": "trunks.n.01", "van": "van.n.05", "vacuum": "vacuum.n.04", "watch": "watch.n.01",
    "water glass": "water_glass.n.02", "weeds": "weed.n.01", "wetsuit": "wet_suit.n.01", "whale": "whale.n.02", "wii": "console.n.04",
    "wii controller": "control.n.09", "wii controllers": "control.n.09", "windows": "window.n.01", "wine glass": "wineglass.n.01",
    "wine glasses": "wineglass.n.01", "wings": "wing.n.01", "words": "word.n.01", "xbox controller": "control.n.09",
    "bike": "bicycle.n.01", "bikes": "bicycle.n.01", "cake": "cake.n.03", "cakes": "cake.n.03", "boy": "male_child.n.01",
    "castle": "castle.n.02", "castles": "castle.n.02", "cell phone": "cellular_telephone.n.01", "cell phones": "cellular_telephone.n.01",
    "cereal": "cereal.n.03", "chocolate": "chocolate.n.02", "alien": "extraterrestrial_being.n.01", "console": "console.n.04",
    "christmas tree": "christmas_tree.n.05", "mice": "mouse.n.01", "groceries": "foodstuff.n.02", "mall": "plaza.n.02", "lounge": "waiting_room.n.01",
    "baked good": "baked_goods.n.01", "hoodie": "sweatshirt.n.01",
    "onion rings": "snack_food.n.01", "pizza slice": "pizza.n.01", "pizza slices": "pizza.n.01", "rice cooker": "cooker.n.01",
    "stuffed animal": "plaything.n.01", "stuffed animals": "plaything.n.01", "stuffed bear": "plaything.n.01",
    "stuffed bears": "plaything.n.01", "numbers": "number.n.01", "dolphin": "dolphin.n.02", "rubber duck": "plaything.n.01",
    "stuffed dog": "plaything.n.01", "toilet lid": "lid.n.02", "runway": "runway.n.04", "picnic": "picnic.n.01",
    "dolphins": "dolphin.n.02", "papers": "paper.n.01", "soap": "soap.n.01", "bun": "bun.n.01", "buns": "bun.n.01", "clothes": "apparel.n.01",
}  # fmt: skip


def synset_of(name: str, known: Ontology) -> Synset | None:
    """The sense a name has in a picture."""
    if name in OVERRIDES:
        return wordnet().synset(OVERRIDES[name])
    roots = {
        wordnet().synset(root).name for kind in known.kinds_of(name) if kind in ROOTS for root in ROOTS[kind].split()
    }
    for form in (singular(name), name, singular(name).split()[-1]):
        senses = wordnet().synsets(form.replace(" ", "_"), "n")
        under = [sense for sense in senses if roots & {above.name for path in sense.hypernym_paths() for above in path}]
        if under or (senses and not roots):
            return (under or senses)[0]
    return next(iter(wordnet().synsets(singular(name).replace(" ", "_"), "n")), None)


def main(vocabulary: Path) -> None:
    """Print the table."""
    names = sorted({line.strip() for line in vocabulary.read_text(encoding="utf-8").splitlines() if line.strip()})
    known = ontology()
    print("# Object names and what they mean: WordNet 3.0 synsets. Made by scripts/make_objects.py, reviewed by hand.\n")
    print("[synsets]")
    for name in names:
        found = synset_of(name, known)
        if found is not None:
            print(f'"{name}" = "{found.name}"')


if __name__ == "__main__":
    main(Path(sys.argv[1]))
