"""Firms: names in which nobody lives, though people move to them as to a town."""

from __future__ import annotations

import re

from adapters.extraction.rules_model import Token
from memory.words.vocabulary import NO_HOMES, words

KNOWN = words(
    "zalando siemens bosch vodafone stripe nintendo lufthansa nvidia mozilla klarna adyen revolut monzo nestlé nestle "
    "novartis roche bayer aldi lidl tesco sainsburys sainsbury's waitrose ikea ericsson airbus boeing renault fiat "
    "volvo toyota honda sony samsung intel cisco adobe shopify dropbox airbnb uber lyft deloitte accenture capgemini "
    "kpmg mckinsey barclays allianz pfizer astrazeneca unilever danone heineken palantir datadog atlassian canva "
    "flipkart infosys wipro starbucks mcdonald's mcdonalds ryanair easyjet vattenfall telefónica telefonica verizon "
    "comcast paypal tiktok bytedance alibaba tencent huawei xiaomi lenovo dell ibm sap bmw daimler mercedes porsche "
    "audi volkswagen skoda nissan hyundai kia ford tesla spacex openai anthropic deepmind walmart costco ebay etsy "
    "booking.com expedia tripadvisor deliveroo doordash wolt gorillas hellofresh spotify soundcloud bolt n26 vmware "
    "salesforce oracle nokia panasonic toshiba hitachi fujitsu canon nikon continental thyssenkrupp basf henkel "
    "beiersdorf adidas nike puma h&m zara meta primark decathlon carrefour danske ing hsbc lloyds natwest citibank "
    "jpmorgan ups fedex dhl hermes maersk bp totalenergies equinor"
)
"""Employers that are known by one name, and of which hardly anybody would say that they live there."""
DEPARTMENTS = words(
    "legal procurement logistics operations product design research support recruiting recruitment payroll compliance "
    "reception accounts controlling purchasing dispatch housekeeping qa it r&d"
)
_MIXED = re.compile(r"[a-z][A-Z]")
_CELTIC = re.compile(r"^(?:Mac|Mc|O'|De|La|Le|Du|Van)[A-Z]")
_LETTERS = re.compile(r"[A-Z&]{3,}|[A-Z]+\d+|[A-Z]&[A-Z]")
_PLACES = words("usa uae nyc cdmx drc ussr gdr eth")
_DOMAIN = re.compile(r"\w\.(?:com|io|ai|org|net|co|de)$", re.IGNORECASE)


def is_firm_or_department(token: Token) -> bool:
    """Whether a name, by itself or by how it is spelt, is of a firm or a department: Zalando, HelloFresh, KLM, HR."""
    if any(t.lower_ in NO_HOMES for t in token.subtree if t.i <= token.i):
        return True
    return token.lower_ in DEPARTMENTS or is_firm(token)


def is_firm(token: Token) -> bool:
    """Whether a name is known for, or spelt like, that of a firm."""
    return token.lower_ in KNOWN or is_spelt_like_a_firm(str(token.text))


def is_spelt_like_a_firm(name: str) -> bool:
    """HelloFresh, KLM, booking.com; but neither McAllen nor the USA."""
    if _DOMAIN.search(name):
        return True
    mixed = _MIXED.search(name) is not None and _CELTIC.match(name) is None
    return mixed or (_LETTERS.fullmatch(name) is not None and name.lower() not in _PLACES)
